import type { BenchPart, MeasuredRun } from '../bench.js';
import { describePostgres } from '../databases.js';
import { median, rotated } from '../statistics.js';
import { figure, times, whole, type Table } from '../table.js';
import { measureBareHttp } from './bare-http.js';
import { callers, connections, eventIdsOf, rateLimit, type Contender, type Server } from './contender.js';
import { flexibleOnPostgres, flexibleOnRedis } from './flexible-contenders.js';
import { seedAlgorithm } from './seed-contender.js';
import { batchCallers, batchSize, batches, oneByOne, storeAlone } from './slot-assigner-contenders.js';

const contenders = [seedAlgorithm, oneByOne, batches, storeAlone, flexibleOnPostgres, flexibleOnRedis];
/** Connections, plans and compiled code are there before the clock runs. */
const warmUp = 2_000;

const bareHttp = 'for scale: requests to a server that does nothing';

export const hotInstant: BenchPart = {
  letter: 'a',
  title: 'slots for events that all want one instant',
  defaultRows: 200_000,
  async run({ startServers, rows, repeats, repository, say }) {
    const stack = await startServers({ only: ['postgres', 'redis'] });
    const server: Server = { stack, url: stack.addresses.pgUrl, repository };
    const runs: MeasuredRun[] = [];
    for (let repeat = 0; repeat < repeats; repeat++) {
      for (const contender of rotated(contenders, repeat)) {
        const figures = await measure(contender, server, rows);
        runs.push({ contender: contender.name, repeat, figures });
        say(`${contender.name}: ${whole(figures.slotsPerSecond)} slots/s`);
      }
      const slotsPerSecond = await measureBareHttp(stack, rows / 10);
      runs.push({ contender: bareHttp, repeat, figures: { slotsPerSecond } });
      say(`${bareHttp}: ${whole(slotsPerSecond)}/s`);
    }
    const postgres = await describePostgres(server.url);
    return {
      parameters: { rows, repeats, callers, connections, batchSize, batchCallers, ...rateLimit, postgres },
      runs,
      ratios: ratiosOf(runs),
      tables: [tableOf(runs)],
    };
  },
};

async function measure(contender: Contender, server: Server, rows: number) {
  const opened = await contender.open(server, 'measured');
  try {
    await opened.place(eventIdsOf(warmUp, 'warm'));
    const events = Math.max(1_000, Math.floor((rows * contender.percent) / 100));
    const ids = eventIdsOf(events, 'event');
    const began = performance.now();
    const { refused } = await opened.place(ids);
    const ms = performance.now() - began;
    const fill = await opened.fill();
    const placed = fill.reduce((sum, slots) => sum + slots, 0);
    const most = Math.max(...fill);
    if (most > rateLimit.maxPerWindow) throw new Error(`${contender.name}: a window holds ${most}`);
    if (placed + refused < events + warmUp) throw new Error(`${contender.name}: only ${placed} were placed`);
    return {
      slotsPerSecond: ((events - refused) * 1000) / ms,
      ms,
      events,
      refused,
      windows: fill.length,
      windowsToLeast: fill.length / Math.ceil(placed / rateLimit.maxPerWindow),
    };
  } finally {
    await opened.close();
  }
}

function medianOf(runs: readonly MeasuredRun[], { name }: { readonly name: string }, key: string): number {
  return median(runs.filter(({ contender }) => contender === name).map(({ figures }) => figures[key] ?? 0));
}

function ratiosOf(runs: readonly MeasuredRun[]): Record<string, number> {
  const rate = (contender: Contender): number => medianOf(runs, contender, 'slotsPerSecond');
  return {
    '(b) / (a)': rate(oneByOne) / rate(seedAlgorithm),
    '(c) / (a)': rate(batches) / rate(seedAlgorithm),
    '(b) / HTTP alone': rate(oneByOne) / medianOf(runs, { name: bareHttp }, 'slotsPerSecond'),
    '(b) / (d) PostgreSQL': rate(oneByOne) / rate(flexibleOnPostgres),
    '(b) / (d) Redis': rate(oneByOne) / rate(flexibleOnRedis),
    '(c) / (d) PostgreSQL': rate(batches) / rate(flexibleOnPostgres),
    '(c) / (d) Redis': rate(batches) / rate(flexibleOnRedis),
  };
}

function tableOf(runs: readonly MeasuredRun[]): Table {
  const seed = medianOf(runs, seedAlgorithm, 'slotsPerSecond');
  return {
    title: '(a) slots for one instant, medians',
    header: ['', 'slots/s', 'slowest', 'fastest', 'to (a)', 'windows to the least', 'refused'],
    rows: [...contenders, { name: bareHttp }].map((contender) => {
      const rates = runs
        .filter((run) => run.contender === contender.name)
        .map(({ figures }) => figures.slotsPerSecond ?? 0);
      return [
        contender.name,
        whole(median(rates)),
        whole(Math.min(...rates)),
        whole(Math.max(...rates)),
        times(median(rates) / seed),
        'open' in contender ? times(medianOf(runs, contender, 'windowsToLeast')) : '',
        'open' in contender ? figure(medianOf(runs, contender, 'refused')) : '',
      ];
    }),
  };
}
