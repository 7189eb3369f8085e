import { execWorkflowId } from '@sluice/queue-core';
import type { Claim, ClaimedItem, DispatchConfig } from '@sluice/queue-core';
import type { CycleTime, ExecStarter, StartOutcome } from './ports.js';
import { startDelayMs } from './start-delay.js';

export interface StartedItem {
  readonly item: ClaimedItem;
  readonly workflowId: string;
  readonly outcome: StartOutcome | { readonly kind: 'not_tried' } | { readonly kind: 'too_large' };
  /** Time from the item's due time to the moment its workflow begins. */
  readonly latenessMs: number;
}

interface SubBatch {
  readonly itemType: string;
  readonly config: DispatchConfig;
  readonly claim: Claim;
  readonly claimedAtMs: number;
  readonly signal: AbortSignal;
  readonly onProgress: () => void;
}

interface StarterParts {
  readonly starter: ExecStarter;
  readonly time: CycleTime;
  readonly concurrency: number;
}

// Temporal refuses an argument over 2 MB, and over 4 MB in the same words as it asks for less load: such an item would
// look like throttling for ever.
const largestContextBytes = 2 * 1024 * 1024 - 64 * 1024;

/** Starts the exec workflows of a claim, a bounded number at a time; one failure never stops the others. */
export async function startSubBatch(parts: StarterParts, batch: SubBatch): Promise<readonly StartedItem[]> {
  const { items } = batch.claim;
  const results: StartedItem[] = [];
  let next = 0;
  const lane = async () => {
    for (let item = items[next++]; item; item = items[next++]) {
      results.push(await startOne(parts, batch, item));
      batch.onProgress();
    }
  };
  await Promise.all(Array.from({ length: Math.min(parts.concurrency, items.length) }, lane));
  return results;
}

async function startOne(parts: StarterParts, batch: SubBatch, item: ClaimedItem): Promise<StartedItem> {
  const { config } = batch;
  const workflowId = execWorkflowId(batch.itemType, item.itemId);
  const msSinceClaim = parts.time.now() - batch.claimedAtMs;
  // Half way to going stale the claim is given back, before another dispatcher has a reason to take it over.
  const tooLate = msSinceClaim > (config.staleClaimThresholdMins * 60_000) / 2;
  if (batch.signal.aborted || tooLate) {
    return { item, workflowId, outcome: { kind: 'not_tried' }, latenessMs: 0 };
  }
  if (Buffer.byteLength(item.contextJson) > largestContextBytes) {
    return { item, workflowId, outcome: { kind: 'too_large' }, latenessMs: 0 };
  }
  const delayMs = startDelayMs({
    msUntilDue: item.msUntilDue,
    msSinceClaim,
    jitterWindowMs: config.jitterWindowMs,
    random: parts.time.random(),
  });
  const outcome = await parts.starter.start({
    workflowId,
    workflowType: config.execWorkflowType,
    taskQueue: config.execTaskQueue,
    args: [item.itemId, item.contextJson],
    startDelayMs: delayMs,
  });
  return { item, workflowId, outcome, latenessMs: delayMs + msSinceClaim - item.msUntilDue };
}
