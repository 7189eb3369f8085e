import type { Claim, DispatchedItem, DispatchQueue, FailedItem } from '@sluice/queue-core';
import { emptyTally } from './cycle-counts.js';
import type { Tally } from './cycle-counts.js';
import type { StartedItem } from './start-sub-batch.js';

export interface SubBatchEnd {
  readonly tally: Tally;
  readonly throttled: boolean;
  /** Temporal gave no answer to anybody. */
  readonly isAway: boolean;
}

interface Sorted {
  readonly dispatched: DispatchedItem[];
  readonly failed: FailedItem[];
  readonly hopeless: FailedItem[];
  readonly throttled: string[];
  readonly away: string[];
  readonly notTried: string[];
}

/** Writes down what became of each item of a claim: at most one statement for each kind of ending. */
export async function settleSubBatch(
  queue: DispatchQueue,
  held: { readonly itemType: string; readonly token: string },
  batch: { readonly claim: Claim; readonly starts: readonly StartedItem[] },
): Promise<SubBatchEnd> {
  const sorted = sortStarts(batch.starts);
  for (const itemId of batch.claim.withoutContext) {
    sorted.hopeless.push({ itemId, error: 'its context is missing from exec_context' });
  }
  const marked = await queue.markDispatched({ ...held, items: sorted.dispatched });
  const returned = await queue.returnToReady({ ...held, failures: sorted.failed });
  const hopeless = await queue.exhaust({ ...held, failures: sorted.hopeless });
  const releases = [
    await queue.release({ ...held, itemIds: sorted.throttled, reason: 'Temporal asked for a lower rate' }),
    await queue.release({ ...held, itemIds: sorted.away, reason: 'Temporal did not answer' }),
    await queue.release({
      ...held,
      itemIds: sorted.notTried,
      reason: 'not started: the dispatcher stopped or ran out of time',
    }),
  ];
  const released = sorted.throttled.length + sorted.away.length + sorted.notTried.length;
  const fenced = [marked, returned, hopeless, ...releases].flatMap((settled) => settled.fenced);
  return {
    isAway: sorted.away.length > 0,
    throttled: sorted.throttled.length > 0,
    tally: {
      ...emptyTally(),
      ...countStarts(batch.starts),
      claimed: batch.claim.items.length + batch.claim.withoutContext.length,
      reclaimed: batch.claim.items.filter((item) => item.reclaimed).length,
      failed: sorted.failed.length,
      released,
      exhausted: batch.claim.exhausted.length + sorted.hopeless.length + returned.exhausted.length,
      fenced: fenced.length,
    },
  };
}

function countStarts(starts: readonly StartedItem[]): Pick<Tally, 'started' | 'alreadyStarted'> {
  const count = (kind: StartedItem['outcome']['kind']) =>
    starts.filter((start) => start.outcome.kind === kind).length;
  return { started: count('started'), alreadyStarted: count('already_started') };
}

function sortStarts(starts: readonly StartedItem[]): Sorted {
  const sorted: Sorted = { dispatched: [], failed: [], hopeless: [], throttled: [], away: [], notTried: [] };
  for (const { item, workflowId, outcome } of starts) {
    const itemId = item.itemId;
    switch (outcome.kind) {
      case 'started':
      case 'already_started':
        sorted.dispatched.push({
          itemId,
          execWorkflowId: workflowId,
          alreadyStarted: outcome.kind === 'already_started',
        });
        break;
      case 'throttled':
        sorted.throttled.push(itemId);
        break;
      case 'away':
        sorted.away.push(itemId);
        break;
      case 'unreachable':
      case 'failed':
        sorted.failed.push({ itemId, error: outcome.error });
        break;
      case 'too_large':
        sorted.hopeless.push({ itemId, error: 'its context is larger than Temporal takes (2 MB)' });
        break;
      case 'not_tried':
        sorted.notTried.push(itemId);
        break;
    }
  }
  return sorted;
}
