// Workflow code of the benches: what waits inside Temporal, and what waits outside of it.
import { sleep } from '@temporalio/workflow';
import { createScheduleLifecycle, type SchedulableItem } from '@sluice/queue-core/workflow';

const schedule = createScheduleLifecycle('BENCH');

/** Leaves a chunk of items in the dispatch queue and ends. */
export async function BenchInitWorkflow(items: readonly SchedulableItem[]): Promise<number> {
  const { enqueued } = await schedule(items);
  return enqueued;
}

/** What an item is about; the same for both ways of waiting. */
export async function BenchExecWorkflow(itemId: string, contextJson: string): Promise<number> {
  return itemId.length + contextJson.length;
}

/** The same item, asleep in Temporal until its time. */
export async function BenchSleepingWorkflow(
  itemId: string,
  contextJson: string,
  atMs: number,
): Promise<number> {
  await sleep(Math.max(1, atMs - Date.now()));
  return BenchExecWorkflow(itemId, contextJson);
}
