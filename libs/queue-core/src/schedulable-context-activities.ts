import { ApplicationFailure } from '@temporalio/common';
import { QueueStoreError } from './errors.js';
import type { DispatchQueue, NewItem } from './ports.js';
import type { EnqueueReport, SchedulableContextActivities, SchedulableItem } from './workflow.js';

/** The activities behind ScheduleLifecycle, for the worker that runs init workflows. */
export function createSchedulableContextActivities(
  queue: Pick<DispatchQueue, 'enqueue'>,
): SchedulableContextActivities {
  return {
    async saveContextAndEnqueue(itemType, items, initWorkflowId): Promise<EnqueueReport> {
      const outcomes = await enqueueOrFail(
        queue,
        items.map((item) => toNewItem(item, itemType, initWorkflowId)),
      );
      return {
        enqueued: outcomes.filter((outcome) => outcome.kind === 'enqueued').length,
        duplicates: outcomes.filter((outcome) => outcome.kind === 'duplicate').length,
        conflicts: outcomes.filter((outcome) => outcome.kind === 'conflict').map((outcome) => outcome.itemId),
      };
    },
  };
}

function toNewItem(item: SchedulableItem, itemType: string, initWorkflowId: string): NewItem {
  const scheduledExecTime = new Date(item.scheduledExecTime);
  if (Number.isNaN(scheduledExecTime.getTime())) {
    throw ApplicationFailure.nonRetryable(
      `item ${item.itemId}: scheduledExecTime is not an ISO 8601 instant: ${item.scheduledExecTime}`,
      'INVALID_SCHEDULED_TIME',
    );
  }
  return {
    itemType,
    itemId: item.itemId,
    contextJson: item.contextJson,
    contextVersion: item.contextVersion ?? 1,
    scheduledExecTime,
    initWorkflowId,
  };
}

async function enqueueOrFail(queue: Pick<DispatchQueue, 'enqueue'>, items: readonly NewItem[]) {
  try {
    return await queue.enqueue(items);
  } catch (error) {
    if (error instanceof QueueStoreError && !error.retryable) {
      throw ApplicationFailure.create({
        message: error.message,
        type: error.code,
        nonRetryable: true,
        cause: error,
      });
    }
    throw error;
  }
}
