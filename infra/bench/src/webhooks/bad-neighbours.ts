import type { BenchPart, MeasuredRun } from '../bench.js';
import { describePostgres } from '../databases.js';
import { median, percentile, rotated } from '../statistics.js';
import { figure, times, type Table } from '../table.js';
import { followArrivals } from './arrivals.js';
import { delaysOf, offerEvents } from './open-loop.js';
import { migrateWebhooks, startRelayer, startSink } from './processes.js';
import type { Sink } from './processes.js';
import { endpointsBelow, subscribeAll } from './subscriptions.js';
import type { Endpoint } from './subscriptions.js';

const endpointCount = 100;
const ratePerSecond = 200;
const slowMs = 10_000;
const warmUpSeconds = 3;

const healthy = 'all healthy';
const mixed = 'one dead, one slow';

export const badNeighbours: BenchPart = {
  letter: 'c',
  title: 'the other endpoints, with a dead and a slow one among them',
  defaultRows: 4_000,
  async run({ startServers, rows, repeats, repository, say }) {
    const stack = await startServers({ only: ['postgres', 'kafka', 'redis'] });
    await migrateWebhooks({ stack, repository });
    const sink = await startSink(stack, repository);
    const relayer = await startRelayer({ stack, repository, topic: 'bench.neighbours' });
    const sides = [healthy, mixed].map((name, at) => {
      const path = `/hooks/side${at}`;
      const all = endpointsBelow(sink.url + path, endpointCount, `side${at}`);
      const endpoints = name === mixed ? withDeadOne(all) : all;
      return { name, path, endpoints, arrivals: followArrivals(sink, path, isWellHook), expected: 0 };
    });
    await slowDown(sink, '/hooks/side1/1');
    for (const { endpoints } of sides) await subscribeAll(relayer, endpoints);
    const runs: MeasuredRun[] = [];
    const seconds = rows / ratePerSecond;
    for (let repeat = -1; repeat < repeats; repeat++) {
      for (const side of rotated(sides, repeat + 1)) {
        const forSeconds = repeat < 0 ? warmUpSeconds : seconds;
        const prefix = `${side.path.slice(-1)}-${repeat}`;
        const load = { ratePerSecond, seconds: forSeconds, prefix, endpoints: side.endpoints };
        const offered = await offerEvents(relayer, load);
        side.expected += [...offered.typeOf.values()].filter(isWell).length;
        await side.arrivals.waitFor(side.expected);
        const { delays, missing } = delaysOf(offered, side.arrivals.firstAt, isWell);
        const [p50, p95, p99] = [0.5, 0.95, 0.99].map((share) => percentile(delays, share));
        const figures = { p50: p50 ?? 0, p95: p95 ?? 0, p99: p99 ?? 0, missing };
        say(`${side.name}: p95 ${figures.p95} ms, ${missing} missing${repeat < 0 ? ' (warm-up)' : ''}`);
        if (repeat >= 0) runs.push({ contender: side.name, repeat, figures });
      }
    }
    const parameters = { endpointCount, ratePerSecond, seconds, slowMs, repeats };
    return {
      parameters: { ...parameters, postgres: await describePostgres(stack.addresses.pgUrl) },
      runs,
      ratios: {
        'p95 with / without (target 1.5)': middle(runs, mixed, 'p95') / middle(runs, healthy, 'p95'),
      },
      tables: [toTable(runs, repeats)],
    };
  },
};

function middle(runs: readonly MeasuredRun[], name: string, key: string): number {
  return median(runs.filter(({ contender }) => contender === name).map(({ figures }) => figures[key] ?? 0));
}

function toTable(runs: readonly MeasuredRun[], repeats: number): Table {
  return {
    title: `(c) offer to arrival in ms at the same ${endpointCount - 2} endpoints, ${ratePerSecond} events/s, medians of ${repeats}`,
    header: ['', 'p50', 'p95', 'p99', 'missing', 'p95 to healthy'],
    rows: [healthy, mixed].map((name) => [
      name,
      ...['p50', 'p95', 'p99', 'missing'].map((key) => figure(middle(runs, name, key))),
      times(middle(runs, name, 'p95') / middle(runs, healthy, 'p95')),
    ]),
  };
}

/** The first has nobody listening; the second answers after ten seconds. */
function withDeadOne(endpoints: readonly Endpoint[]): Endpoint[] {
  return endpoints.map((endpoint, at) => (at === 0 ? { ...endpoint, url: 'http://127.0.0.1:1/' } : endpoint));
}

/** One of the endpoints that are well on both sides. */
function isWell(type: string): boolean {
  return !/\.n[01]$/.test(type);
}

/** The same by the path: arrivals at the other two must not be taken for those that are waited for. */
function isWellHook(hook: string): boolean {
  return !/\/[01]$/.test(hook);
}

async function slowDown(sink: Sink, path: string): Promise<void> {
  const response = await fetch(`${sink.url}/control/behaviours`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify([{ path, delayMs: slowMs }]),
  });
  if (!response.ok) throw new Error(`the sink refused: ${await response.text()}`);
}
