import { proxyActivities, proxyLocalActivities, workflowInfo } from '@temporalio/workflow';
import type { DispatcherActivities } from './activities.js';
import type { CycleCounts } from './cycle-counts.js';

// One short read or write each: as local activities they cost no task of their own, at every tick of every day.
const { readDispatchConfig, recordResults } = proxyLocalActivities<DispatcherActivities>({
  startToCloseTimeout: '10s',
  retry: { maximumAttempts: 3, initialInterval: '200ms' },
});

/** One dispatch cycle of one item type, started by its Schedule. Only counts pass through history. */
export async function DispatcherWorkflow(itemType: string): Promise<CycleCounts | null> {
  const settings = await readDispatchConfig(itemType, plannedTime());
  if (!settings?.enabled) return null;
  const cycleId = `BATCH-${workflowInfo().runId}`;
  const { dispatchBatch } = proxyActivities<DispatcherActivities>({
    startToCloseTimeout: (settings.dispatchIntervalSecs + 60) * 1000,
    heartbeatTimeout: '60s',
    // The next cycle is the retry: a second attempt of this one would claim other items under the same tokens.
    retry: { maximumAttempts: 1 },
  });
  const counts = await dispatchBatch(itemType, cycleId);
  if (counts.claimed + counts.exhausted > 0) await recordResults(itemType, cycleId, counts);
  return counts;
}

/** The tick that began this run, as the Schedule writes it down. */
function plannedTime(): string | null {
  const attributes = workflowInfo().typedSearchAttributes.getAll();
  const planned = attributes.find(({ key }) => key.name === 'TemporalScheduledStartTime')?.value;
  return planned instanceof Date ? planned.toISOString() : null;
}
