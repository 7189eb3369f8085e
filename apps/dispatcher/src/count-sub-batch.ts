import type { Tally } from './cycle-counts.js';
import type { DispatchMetrics } from './metrics.js';
import type { StartedItem } from './start-sub-batch.js';

export function countSubBatch(
  metrics: DispatchMetrics,
  itemType: string,
  { tally, starts }: { tally: Tally; starts: readonly StartedItem[] },
): void {
  const label = { item_type: itemType };
  metrics.batchClaimed.inc(label, tally.claimed);
  metrics.workflowStarted.inc(label, tally.started);
  metrics.duplicatesAbsorbed.inc(label, tally.alreadyStarted);
  metrics.staleReclaimed.inc(label, tally.reclaimed);
  metrics.exhausted.inc(label, tally.exhausted);
  metrics.fenced.inc(label, tally.fenced);
  for (const { outcome, latenessMs } of starts) {
    if (outcome.kind === 'started') metrics.startLateness.observe(label, latenessMs / 1000);
    if (outcome.kind === 'away') metrics.startFailures.inc({ ...label, reason: 'unreachable' });
    if (outcome.kind === 'throttled' || outcome.kind === 'unreachable' || outcome.kind === 'failed') {
      metrics.startFailures.inc({ ...label, reason: outcome.kind });
    }
  }
}
