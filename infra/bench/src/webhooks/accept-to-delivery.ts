import type { BenchPart, MeasuredRun } from '../bench.js';
import { describePostgres } from '../databases.js';
import { median, percentile } from '../statistics.js';
import { figure, whole, type Table } from '../table.js';
import { followArrivals } from './arrivals.js';
import { delaysOf, offerEvents } from './open-loop.js';
import { migrateWebhooks, startRelayer, startSink } from './processes.js';
import { endpointsBelow, subscribeAll } from './subscriptions.js';

const endpointCount = 100;
const rates = [50, 200, 1_000];
const warmUpSeconds = 5;

export const acceptToDelivery: BenchPart = {
  letter: 'a',
  title: 'from the offer of an event at the API to its arrival at the endpoint',
  /** Events at the highest rate; the lower ones are offered for as long. */
  defaultRows: 15_000,
  async run({ startServers, rows, repeats, repository, say }) {
    const stack = await startServers({ only: ['postgres', 'kafka', 'redis'] });
    await migrateWebhooks({ stack, repository });
    const sink = await startSink(stack, repository);
    const relayer = await startRelayer({ stack, repository, topic: 'bench.latency' });
    const endpoints = endpointsBelow(`${sink.url}/hooks/latency`, endpointCount, 'latency');
    await subscribeAll(relayer, endpoints);
    const arrivals = followArrivals(sink, '/hooks/latency');
    const seconds = rows / Math.max(...rates);
    let expected = 0;
    const measure = async (ratePerSecond: number, prefix: string, forSeconds = seconds) => {
      const before = arrivals.repeated();
      const offered = await offerEvents(relayer, { ratePerSecond, seconds: forSeconds, prefix, endpoints });
      expected += offered.offeredAt.size;
      await arrivals.waitFor(expected);
      const { delays, missing } = delaysOf(offered, arrivals.firstAt);
      return {
        p50: percentile(delays, 0.5),
        p95: percentile(delays, 0.95),
        p99: percentile(delays, 0.99),
        acceptP95: percentile(offered.acceptMs, 0.95),
        perSecond: perSecond(offered.offeredAt, arrivals.firstAt),
        missing,
        repeated: arrivals.repeated() - before,
        refused: offered.refused,
      };
    };
    await measure(200, 'warm', warmUpSeconds);
    const runs: MeasuredRun[] = [];
    for (let repeat = 0; repeat < repeats; repeat++) {
      for (const rate of rates) {
        const figures = await measure(rate, `r${repeat}-${rate}`);
        say(
          `${rate}/s: p50 ${figures.p50}, p95 ${figures.p95}, p99 ${figures.p99} ms, ${figures.missing} missing`,
        );
        runs.push({ contender: `${rate} events/s`, repeat, figures });
      }
    }
    const parameters = { endpointCount, seconds, repeats };
    return {
      parameters: { ...parameters, postgres: await describePostgres(stack.addresses.pgUrl) },
      runs,
      ratios: { 'p95 at 200/s in ms (target 100)': middle(runs, '200 events/s', 'p95') },
      tables: [toTable(runs, parameters)],
    };
  },
};

function middle(runs: readonly MeasuredRun[], name: string, key: string): number {
  return median(runs.filter(({ contender }) => contender === name).map(({ figures }) => figures[key] ?? 0));
}

function toTable(
  runs: readonly MeasuredRun[],
  { seconds, repeats }: { seconds: number; repeats: number },
): Table {
  return {
    title: `(a) offer to arrival in ms, ${endpointCount} endpoints, ${seconds} s each, medians of ${repeats}`,
    header: ['', 'p50', 'p95', 'p99', '202 p95', 'deliveries/s', 'missing', 'repeated'],
    rows: rates.map((rate) => {
      const name = `${rate} events/s`;
      const cells = ['p50', 'p95', 'p99', 'acceptP95'].map((key) => figure(middle(runs, name, key)));
      const counts = ['perSecond', 'missing', 'repeated'].map((key) => whole(middle(runs, name, key)));
      return [name, ...cells, ...counts];
    }),
  };
}

/** Arrivals of these events in a second, from the first offer to the last arrival. */
function perSecond(offeredAt: ReadonlyMap<string, number>, firstAt: ReadonlyMap<string, number>): number {
  const arrived = [...offeredAt.keys()].flatMap((id) => firstAt.get(id) ?? []);
  const [from = 0] = offeredAt.values();
  const to = arrived.reduce((last, at) => Math.max(last, at), from + 1);
  return (arrived.length * 1_000) / (to - from);
}
