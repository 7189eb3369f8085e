import type { Pool } from 'pg';
import type { BenchPart, MeasuredRun } from '../bench.js';
import { connectPool, describePostgres, dropDatabase } from '../databases.js';
import { median } from '../statistics.js';
import { figure, whole, type Table } from '../table.js';
import { eventIdsOf, inBatches, inLanes, instant, rateLimit } from './contender.js';
import { batchCallers, batchSize } from './slot-assigner-contenders.js';
import { activate, createSlotDatabase, readFill } from './slot-database.js';
import { startSlotNode } from './slot-node.js';
import { connectSlotRequests } from './slot-requests.js';

const nodes = 2;
const tenths = 10;
/** Points of the lateness curve. */
const shares = [0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 1];

export const oneMillion: BenchPart = {
  letter: 'b',
  title: 'a whole burst for one instant, through two nodes',
  defaultRows: 1_000_000,
  async run({ startServers, rows, repeats, repository, say }) {
    const stack = await startServers({ only: ['postgres'] });
    const server = { stack, url: stack.addresses.pgUrl, repository };
    const runs: MeasuredRun[] = [];
    // One burst takes as long as many short runs; its tenths show how much it varies.
    for (let repeat = 0; repeat < Math.min(1, repeats); repeat++) {
      const figures = await measure(server, rows, say);
      runs.push({ contender: 'slot-assigner', repeat, figures });
    }
    return {
      parameters: {
        rows,
        nodes,
        batchSize,
        batchCallers,
        ...rateLimit,
        postgres: await describePostgres(server.url),
      },
      runs,
      ratios: {},
      tables: [burstTable(runs), latenessTable(runs, rows)],
    };
  },
};

async function measure(
  { stack, url, repository }: { stack: Parameters<typeof startSlotNode>[0]; url: string; repository: string },
  rows: number,
  say: (text: string) => void,
): Promise<Record<string, number>> {
  const databaseUrl = await createSlotDatabase({ url, repository }, 'burst');
  const pool = connectPool(databaseUrl, 1);
  await activate(pool, rateLimit);
  // The second one takes the ports of a service that does not run here.
  const { 'slot-assigner': own, ingest: other } = stack.ports.services;
  const started = await Promise.all(
    [own, other].map((ports) => startSlotNode(stack, repository, { databaseUrl, ports })),
  );
  const requests = started.map((node) => connectSlotRequests(node.url, batchCallers));
  const figures: Record<string, number> = {};
  const began = performance.now();
  for (const [tenth, part] of inBatches(eventIdsOf(rows, 'event'), Math.ceil(rows / tenths)).entries()) {
    const from = performance.now();
    let turn = 0;
    await inLanes(batchCallers, inBatches(part, batchSize), async (batch) => {
      await requests[turn++ % nodes]?.batch(batch);
    });
    const rate = (part.length * 1000) / (performance.now() - from);
    figures[`tenth${tenth + 1}SlotsPerSecond`] = rate;
    say(`tenth ${tenth + 1}: ${whole(rate)} slots/s`);
  }
  figures.ms = performance.now() - began;
  Object.assign(figures, await readBurst(pool, rows));
  await Promise.all(requests.map((one) => one.close()));
  await Promise.all(started.map((node) => node.process.stop()));
  await pool.end();
  await dropDatabase(url, 'burst');
  return figures;
}

/** Read from the slots; throws when one is missing or a window holds too many. */
async function readBurst(pool: Pool, rows: number): Promise<Record<string, number>> {
  const fill = await readFill(pool);
  const placed = fill.reduce((sum, slots) => sum + slots, 0);
  const most = Math.max(...fill);
  if (placed !== rows || most > rateLimit.maxPerWindow) {
    throw new Error(`${placed} slots of ${rows}, and the fullest window holds ${most}`);
  }
  const least = Math.ceil(rows / rateLimit.maxPerWindow);
  const { rows: late } = await pool.query<{ seconds: number[] }>(
    `SELECT percentile_disc($1::float8[]) WITHIN GROUP (ORDER BY extract(epoch FROM scheduled_time - requested_time)::float8)
            AS seconds FROM rate_limit_slot`,
    [shares],
  );
  const seconds = late[0]?.seconds ?? [];
  return {
    windows: fill.length,
    windowsToLeast: fill.length / least,
    fullWindows: fill.filter((slots) => slots === rateLimit.maxPerWindow).length,
    ...Object.fromEntries(shares.map((share, index) => [`late${share * 100}`, seconds[index] ?? 0])),
  };
}

function burstTable(runs: readonly MeasuredRun[]): Table {
  const of = (key: string): number => median(runs.map(({ figures }) => figures[key] ?? 0));
  const perTenth = Array.from({ length: tenths }, (_, tenth) => of(`tenth${tenth + 1}SlotsPerSecond`));
  return {
    title: `(b) a burst for ${instant.toISOString()}, ${nodes} nodes`,
    header: [
      '',
      'seconds',
      'slowest tenth',
      'fastest tenth',
      'windows',
      'of them full',
      'windows to the least',
    ],
    rows: [
      [
        'slot-assigner, slots/s by tenths',
        figure(of('ms') / 1000),
        whole(Math.min(...perTenth)),
        whole(Math.max(...perTenth)),
        whole(of('windows')),
        whole(of('fullWindows')),
        figure(of('windowsToLeast')),
      ],
    ],
  };
}

/** Beside it, what the rate limit itself makes unavoidable. */
function latenessTable(runs: readonly MeasuredRun[], rows: number): Table {
  const of = (share: number): number => median(runs.map(({ figures }) => figures[`late${share * 100}`] ?? 0));
  const ideal = (share: number): number =>
    (share * rows * rateLimit.windowSizeMs) / rateLimit.maxPerWindow / 1000;
  return {
    title: '(b) seconds from the instant to the slot, by share of the events',
    header: ['share', 'seconds', 'unavoidable'],
    rows: shares.map((share) => [`${share * 100} %`, figure(of(share)), figure(ideal(share))]),
  };
}
