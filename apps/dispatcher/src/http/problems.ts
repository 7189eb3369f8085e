import { QueueStoreError } from '@sluice/queue-core';
import type { QueueStatus } from '@sluice/queue-core';
import { ProblemError } from '@sluice/service-kit/http';
import type { DocumentedProblem } from '@sluice/service-kit/http';

/** The problems of this API as its documentation names them; those of keys, schemas and sizes are added there. */
export const problems = {
  queueUnavailable: {
    status: 503,
    code: 'QUEUE_UNAVAILABLE',
    description: 'The database did not answer; try again shortly.',
  },
  temporalUnavailable: {
    status: 503,
    code: 'TEMPORAL_UNAVAILABLE',
    description: 'Temporal did not answer; try again shortly.',
  },
  configNotFound: {
    status: 404,
    code: 'DISPATCH_CONFIG_NOT_FOUND',
    description: 'The item type has no configuration.',
  },
  itemNotFound: {
    status: 404,
    code: 'ITEM_NOT_FOUND',
    description: 'The queue has no such item, or retention has removed it.',
  },
  itemNotExhausted: {
    status: 409,
    code: 'ITEM_NOT_EXHAUSTED',
    description: 'Only an EXHAUSTED item can be requeued; `itemStatus` is what it is.',
  },
  itemNotReady: {
    status: 409,
    code: 'ITEM_NOT_READY',
    description: 'Only a READY item can be cancelled; `itemStatus` is what it is.',
  },
  dispatchPaused: {
    status: 409,
    code: 'DISPATCH_PAUSED',
    description: 'The kill switch is on; a cycle would start nothing.',
  },
  cycleRunning: {
    status: 409,
    code: 'CYCLE_RUNNING',
    description: 'A cycle is running; cycles of an item type never overlap.',
  },
  scheduleNotFound: {
    status: 409,
    code: 'SCHEDULE_NOT_FOUND',
    description: 'The Schedule does not exist yet; it is made within seconds of the configuration.',
  },
} as const satisfies Record<string, DocumentedProblem>;

/** A store that is away is the caller's cue to come back, not a fault of this service. */
export async function reached<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof QueueStoreError) || !error.retryable) throw error;
    throw new ProblemError(
      {
        status: 503,
        code: problems.queueUnavailable.code,
        title: 'The dispatch queue cannot be reached',
        detail: 'The database did not answer. Try again shortly.',
        headers: { 'retry-after': '5' },
      },
      { cause: error },
    );
  }
}

export function temporalUnavailable(): ProblemError {
  return new ProblemError({
    status: 503,
    code: problems.temporalUnavailable.code,
    title: 'Temporal cannot be reached',
    detail: 'Temporal did not answer, so that no cycle was started. Try again shortly.',
    headers: { 'retry-after': '5' },
  });
}

export function unknownItemType(itemType: string): ProblemError {
  return new ProblemError({
    status: 404,
    code: problems.configNotFound.code,
    title: 'No such item type',
    detail: `No dispatch configuration exists for ${itemType}. Create it with PUT.`,
  });
}

export function unknownItem(itemType: string, itemId: string): ProblemError {
  return new ProblemError({
    status: 404,
    code: problems.itemNotFound.code,
    title: 'No such item',
    detail: `The dispatch queue has no ${itemType} with the id ${itemId}, or has it no longer.`,
  });
}

export function wrongItemStatus(
  problem: typeof problems.itemNotExhausted | typeof problems.itemNotReady,
  itemId: string,
  itemStatus: QueueStatus,
): ProblemError {
  return new ProblemError({
    status: problem.status,
    code: problem.code,
    title: 'The status of the item does not allow this',
    detail: `${itemId} is ${itemStatus}. ${problem.description}`,
    extensions: { itemStatus },
  });
}

export function conflict(
  problem: typeof problems.dispatchPaused | typeof problems.cycleRunning | typeof problems.scheduleNotFound,
  title: string,
): ProblemError {
  return new ProblemError({
    status: problem.status,
    code: problem.code,
    title,
    detail: problem.description,
  });
}
