/**
 * For workflow code only: what an init workflow needs to leave items in the dispatch queue and end at once.
 *
 *   const schedule = createScheduleLifecycle('INVOICE');
 *   export async function InvoiceInitWorkflow(invoice: Invoice): Promise<void> {
 *     const { conflicts } = await schedule([
 *       { itemId: invoice.id, contextJson: JSON.stringify(context), scheduledExecTime: '2026-05-01T16:00:00Z' },
 *     ]);
 *   }
 */
import { proxyActivities, workflowInfo } from '@temporalio/workflow';

export interface SchedulableItem {
  readonly itemId: string;
  readonly contextJson: string;
  /** ISO 8601 instant; the exec workflow starts then or later, never before. */
  readonly scheduledExecTime: string;
  /** Version of the context's shape, 1 if not given. */
  readonly contextVersion?: number;
}

/** Counts, and the ids that have another context in the store already and were left as they are. */
export interface EnqueueReport {
  readonly enqueued: number;
  readonly duplicates: number;
  readonly conflicts: readonly string[];
}

/** Activities that the worker of an init workflow registers; see createSchedulableContextActivities. */
export interface SchedulableContextActivities {
  saveContextAndEnqueue(
    itemType: string,
    items: readonly SchedulableItem[],
    initWorkflowId: string,
  ): Promise<EnqueueReport>;
}

/** Saves contexts and enqueues their items, all or nothing, as often as it takes. */
export type ScheduleLifecycle = (items: readonly SchedulableItem[]) => Promise<EnqueueReport>;

export function createScheduleLifecycle(itemType: string): ScheduleLifecycle {
  return async (items) => {
    const { saveContextAndEnqueue } = proxyActivities<SchedulableContextActivities>({
      startToCloseTimeout: '30s',
      // No last attempt: what was accepted may not be lost because the store was away for long.
      retry: { initialInterval: '200ms', backoffCoefficient: 2, maximumInterval: '30s' },
    });
    return saveContextAndEnqueue(itemType, items, workflowInfo().workflowId);
  };
}
