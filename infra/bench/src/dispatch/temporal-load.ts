import { join } from 'node:path';
import { createPgQueue, createSchedulableContextActivities } from '@sluice/queue-core';
import type { BenchPart, MeasuredRun, Surroundings } from '../bench.js';
import { connectPool } from '../databases.js';
import { figure, times, whole, type Table } from '../table.js';
import { startDispatcher } from './dispatcher-process.js';
import { observeRunning, observeWaiting, type Herd } from './observe-herd.js';
import { contextJson, createQueueDatabase, itemType, settings } from './queue-database.js';
import { inLanes, temporalVersion, withClient, withWorker } from './temporal-clients.js';
import { readHoldings } from './temporal-store.js';

const temporalFile = 'temporal.db';
const taskQueue = settings.execTaskQueue;
const startedAtOnce = 50;
/** Time to bring the herd in place. A sleeping item costs a workflow task before it sleeps. */
const readyWithin = { perItemMs: 80, atLeastMs: 30_000 };
const chunkSize = 200;
const chosenRate = { batchSize: 200, dispatchIntervalSecs: 5 };

const asleep = 'asleep in Temporal';
const queued = 'in the dispatch queue';

/** Counts and not times, so that one run of each tells all. */
export const temporalLoad: BenchPart = {
  letter: 'd',
  title: 'what Temporal holds while items wait for one instant',
  defaultRows: 2_000,
  async run(around) {
    const runs: MeasuredRun[] = [];
    let temporal = '';
    for (const { name, measure } of [
      { name: asleep, measure: measureAsleep },
      { name: queued, measure: measureQueued },
    ]) {
      around.say(`${around.rows} items ${name}`);
      const measured = await measure(around);
      temporal = measured.temporal;
      runs.push({ contender: name, repeat: 0, figures: measured.figures });
    }
    const [inside = {}, outside = {}] = runs.map(({ figures }) => figures);
    const fewer = (key: string): number => (inside[key] ?? 0) / Math.max(1, outside[key] ?? 0);
    const counted = ['openExecutions', 'pendingTimers', 'timersDueInBusiestSecond', 'storeRows'];
    return {
      parameters: { rows: around.rows, chunkSize, ...settings, ...chosenRate, temporal },
      runs,
      ratios: Object.fromEntries(counted.map((key) => [`${key}: ${asleep} / ${queued}`, fewer(key)])),
      tables: [tableOf({ inside, outside, fewer, rows: around.rows })],
    };
  },
};

interface Measured {
  readonly figures: Record<string, number>;
  readonly temporal: string;
}

/** Each item is a workflow that sleeps. */
async function measureAsleep({ startServers, rows }: Surroundings): Promise<Measured> {
  const stack = await startServers({ only: ['temporal'], temporalFile });
  const herd = gather(join(stack.folder, temporalFile), stack.addresses.temporalAddress, rows);
  const { address, instant } = herd;
  const figures = await withWorker({ address, taskQueue }, async () => {
    await withClient(address, (client) =>
      inLanes(startedAtOnce, rows, (index) =>
        client.workflow.start('BenchSleepingWorkflow', {
          workflowId: `sleeping-${index}`,
          taskQueue,
          args: [`item-${index}`, contextJson, instant.getTime()],
        }),
      ),
    );
    return { ...(await observeWaiting(herd)), ...(await observeRunning(herd, 'BenchSleepingWorkflow')) };
  });
  const temporal = await temporalVersion(herd.address);
  await stack.stop();
  return { figures, temporal };
}

/** Items come in by chunks, wait as rows, and leave at the chosen rate. */
async function measureQueued(around: Surroundings): Promise<Measured> {
  const { startServers, rows, repository } = around;
  const stack = await startServers({ only: ['postgres', 'temporal'], temporalFile });
  const herd = gather(join(stack.folder, temporalFile), stack.addresses.temporalAddress, rows);
  const databaseUrl = await createQueueDatabase({ url: stack.addresses.pgUrl, repository }, 'dispatch', []);
  const pool = connectPool(databaseUrl, 4);
  const queue = createPgQueue(pool);
  await queue.writeConfig({ itemType, config: { ...settings, ...chosenRate }, by: 'bench' });
  await startDispatcher(stack, repository, { databaseUrl, concurrency: 50, subBatchSize: 50 });
  const activities = createSchedulableContextActivities(queue);
  const figures = await withWorker({ address: herd.address, taskQueue, activities }, async () => {
    await enqueueHerd(herd);
    return {
      ...(await observeWaiting(herd)),
      ...(await observeRunning(herd, settings.execWorkflowType)),
    };
  });
  await pool.end();
  const temporal = await temporalVersion(herd.address);
  await stack.stop();
  return { figures, temporal };
}

function gather(file: string, address: string, rows: number): Herd {
  const instant = new Date(Date.now() + readyWithin.atLeastMs + rows * readyWithin.perItemMs);
  return { rows, instant, address, file, before: readHoldings(file, instant) };
}

async function enqueueHerd({ address, rows, instant }: Herd): Promise<void> {
  const scheduledExecTime = instant.toISOString();
  const items = Array.from({ length: rows }, (_, index) => ({
    itemId: `item-${index}`,
    contextJson,
    scheduledExecTime,
  }));
  await withClient(address, (client) =>
    inLanes(4, Math.ceil(rows / chunkSize), (chunk) =>
      client.workflow.execute('BenchInitWorkflow', {
        workflowId: `init-${chunk}`,
        taskQueue,
        args: [items.slice(chunk * chunkSize, (chunk + 1) * chunkSize)],
      }),
    ),
  );
}

function tableOf(found: {
  readonly inside: Readonly<Record<string, number>>;
  readonly outside: Readonly<Record<string, number>>;
  readonly rows: number;
  readonly fewer: (key: string) => number;
}): Table {
  const { inside, outside, fewer } = found;
  const seconds = (ms: number | undefined): string => `${figure((ms ?? 0) / 1000)} s`;
  const count = (what: string, key: string): readonly string[] => [
    what,
    whole(inside[key] ?? 0),
    whole(outside[key] ?? 0),
    times(fewer(key)),
  ];
  return {
    title: `(d) ${found.rows} items for one instant; just before it, at it, and after`,
    header: ['', asleep, queued, 'fewer'],
    rows: [
      count('before: open executions', 'openExecutions'),
      count('before: pending timers', 'pendingTimers'),
      count('before: timers due in the busiest second', 'timersDueInBusiestSecond'),
      count("before: rows in Temporal's store", 'storeRows'),
      [
        'at it: begun in the busiest second',
        whole(inside.timersDueInBusiestSecond ?? 0),
        whole(outside.startsInBusiestSecond ?? 0),
      ],
      [
        'at it: ended in the busiest second',
        whole(inside.endsInBusiestSecond ?? 0),
        whole(outside.endsInBusiestSecond ?? 0),
      ],
      ['half of the items done after', seconds(inside.latenessP50Ms), seconds(outside.latenessP50Ms)],
      ['all items done after', seconds(inside.latenessMaxMs), seconds(outside.latenessMaxMs)],
      [
        "after: rows in Temporal's store",
        whole(inside.storeRowsAfter ?? 0),
        whole(outside.storeRowsAfter ?? 0),
      ],
    ],
  };
}
