import { setTimeout as sleep } from 'node:timers/promises';
import { mostInOneSecond, percentile } from '../statistics.js';
import { withClient } from './temporal-clients.js';
import { readExecutions, readHoldings, type Holdings } from './temporal-store.js';

/** Items that all want one instant. */
export interface Herd {
  readonly rows: number;
  readonly instant: Date;
  readonly address: string;
  /** Temporal's database. */
  readonly file: string;
  /** What it held before the herd came. */
  readonly before: Holdings;
}

const lookBeforeMs = 3_000;
const lookEveryMs = 1_000;
const endsWithinMs = 900_000;

/** Just before the instant, less what the server holds for itself. */
export async function observeWaiting({ instant, file, before }: Herd): Promise<Record<string, number>> {
  const waitMs = instant.getTime() - lookBeforeMs - Date.now();
  if (waitMs < 0) throw new Error('the herd was not in place before its instant; try fewer rows');
  await sleep(waitMs);
  const held = readHoldings(file, instant);
  return {
    openExecutions: held.openExecutions - before.openExecutions,
    pendingTimers: held.pendingTimers - before.pendingTimers,
    timersDueInBusiestSecond: held.dueInBusiestSecond - before.dueInBusiestSecond,
    storeRows: held.rows - before.rows,
    storeBytes: held.fileBytes - before.fileBytes,
  };
}

/** From the instant until the last item has run. */
export async function observeRunning(herd: Herd, workflowType: string): Promise<Record<string, number>> {
  const { rows, instant, file, before } = herd;
  await untilEnded(herd, workflowType);
  const executions = readExecutions(file, workflowType);
  const ends = executions.flatMap(({ closedAtMs }) => closedAtMs ?? []);
  if (ends.length !== rows) throw new Error(`${rows} workflows were to end, ${ends.length} have`);
  const lateness = ends.map((ms) => ms - instant.getTime());
  const after = readHoldings(file, instant);
  return {
    startsInBusiestSecond: mostInOneSecond(executions.map(({ startedAtMs }) => startedAtMs)),
    endsInBusiestSecond: mostInOneSecond(ends),
    latenessP50Ms: percentile(lateness, 0.5),
    latenessMaxMs: Math.max(...lateness),
    storeRowsAfter: after.rows - before.rows,
    storeBytesAfter: after.fileBytes - before.fileBytes,
  };
}

async function untilEnded({ address, rows }: Herd, workflowType: string): Promise<void> {
  const query = `WorkflowType = '${workflowType}' AND ExecutionStatus = 'Completed'`;
  const deadline = Date.now() + endsWithinMs;
  await withClient(address, async (client) => {
    while ((await client.workflow.count(query)).count < rows) {
      if (Date.now() > deadline) throw new Error(`${rows} workflows did not end in time`);
      await sleep(lookEveryMs);
    }
  });
}
