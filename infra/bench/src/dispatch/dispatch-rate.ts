import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { createPgQueue } from '@sluice/queue-core';
import type { BenchPart, MeasuredRun } from '../bench.js';
import { connectPool, describePostgres } from '../databases.js';
import { median, rotated } from '../statistics.js';
import { times, whole } from '../table.js';
import { busyMs } from './busy-time.js';
import { startDispatcher } from './dispatcher-process.js';
import { contextJson, createQueueDatabase, overdue, seedItems, settings } from './queue-database.js';
import { inLanes, temporalVersion, withClient } from './temporal-clients.js';

const concurrency = 50;
const subBatchSize = 500;
const lookEveryMs = 250;
const dispatchedWithinMs = 600_000;

/** Rests between two cycles are the pace that was asked for and not a cost; sub-batches follow each other quicker. */
const longestGapMs = 1_000;

/** More than Temporal takes, so that nothing waits for its turn. */
const flatOut = { ...settings, batchSize: 10_000, dispatchIntervalSecs: 15 };

const ours = 'dispatcher: claim, start, mark';
const bare = 'bare workflow.start()';

export const dispatchRate: BenchPart = {
  letter: 'c',
  title: 'starting workflows, through the queue and without it',
  defaultRows: 3_000,
  async run({ startServers, rows, repeats, repository, say }) {
    const stack = await startServers({ only: ['postgres', 'temporal'] });
    const { pgUrl, temporalAddress } = stack.addresses;
    const databaseUrl = await createQueueDatabase({ url: pgUrl, repository }, 'dispatch', []);
    await startDispatcher(stack, repository, { databaseUrl, concurrency, subBatchSize });
    const pool = connectPool(databaseUrl, 2);
    const contenders = [
      { name: ours, start: (itemType: string) => dispatchAll(pool, itemType, rows) },
      { name: bare, start: (itemType: string) => startAll(temporalAddress, itemType, rows) },
    ];
    const runs: MeasuredRun[] = [];
    // The first run of each warms up both processes and is not counted.
    for (let repeat = -1; repeat < repeats; repeat++) {
      for (const { name, start } of rotated(contenders, repeat + 1)) {
        const figures = await start(`R${repeat + 1}`);
        say(`${name}: ${whole(figures.startsPerSecond)} starts/s${repeat < 0 ? ' (warm-up)' : ''}`);
        if (repeat >= 0) runs.push({ contender: name, repeat, figures });
      }
    }
    await pool.end();
    const [postgres, temporal] = [await describePostgres(pgUrl), await temporalVersion(temporalAddress)];
    return {
      parameters: { rows, repeats, concurrency, subBatchSize, ...flatOut, postgres, temporal },
      runs,
      ratios: { [`${ours} / ${bare}`]: rate(runs, ours) / rate(runs, bare) },
      tables: [
        {
          title: `(c) starts of ${rows} workflows, ${concurrency} at once, medians`,
          header: ['', 'starts/s', 'to bare'],
          rows: [ours, bare].map((name) => [
            name,
            whole(rate(runs, name)),
            times(rate(runs, name) / rate(runs, bare)),
          ]),
        },
      ],
    };
  },
};

function rate(runs: readonly MeasuredRun[], name: string): number {
  const ofName = runs.filter(({ contender }) => contender === name);
  return median(ofName.map(({ figures }) => figures.startsPerSecond ?? 0));
}

interface Started extends Record<string, number> {
  readonly startsPerSecond: number;
  readonly ms: number;
}

async function dispatchAll(pool: Pool, itemType: string, rows: number): Promise<Started> {
  const queue = createPgQueue(pool);
  await seedItems(pool, itemType, [{ name: itemType, count: rows, status: 'READY', dueInMs: overdue }]);
  await queue.writeConfig({ itemType, config: flatOut, by: 'bench' });
  const deadline = Date.now() + dispatchedWithinMs;
  while ((await countDispatched(pool, itemType)) < rows) {
    if (Date.now() > deadline) throw new Error(`${rows} items were not dispatched in time`);
    await sleep(lookEveryMs);
  }
  // Its Schedule goes on; this makes it almost silent while others are measured.
  await queue.writeConfig({
    itemType,
    config: { ...flatOut, enabled: false, dispatchIntervalSecs: 300 },
    by: 'bench',
  });
  const { rows: batches } = await pool.query<{ from_ms: number; to_ms: number }>(
    `SELECT extract(epoch FROM min(claimed_at))::float8 * 1000 AS from_ms,
            extract(epoch FROM max(dispatched_at))::float8 * 1000 AS to_ms
       FROM exec_queue WHERE item_type = $1 GROUP BY dispatch_batch_id`,
    [itemType],
  );
  const ms = busyMs(
    batches.map(({ from_ms, to_ms }) => ({ fromMs: from_ms, toMs: to_ms })),
    longestGapMs,
  );
  return { startsPerSecond: (rows * 1000) / ms, ms, batches: batches.length };
}

async function countDispatched(pool: Pool, itemType: string): Promise<number> {
  const { rows } = await pool.query<{ dispatched: number }>(
    `SELECT count(*)::integer AS dispatched FROM exec_queue WHERE item_type = $1 AND queue_status = 'DISPATCHED'`,
    [itemType],
  );
  return rows[0]?.dispatched ?? 0;
}

async function startAll(address: string, itemType: string, rows: number): Promise<Started> {
  return withClient(address, async (client) => {
    const began = performance.now();
    await inLanes(concurrency, rows, (index) =>
      client.workflow.start(settings.execWorkflowType, {
        workflowId: `bare-${itemType}-${index}`,
        taskQueue: settings.execTaskQueue,
        args: [`${itemType}-${index}`, contextJson],
        workflowIdReusePolicy: 'REJECT_DUPLICATE',
        workflowIdConflictPolicy: 'FAIL',
      }),
    );
    const ms = performance.now() - began;
    return { startsPerSecond: (rows * 1000) / ms, ms };
  });
}
