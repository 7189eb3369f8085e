import {
  ApplicationFailure,
  proxyActivities,
  proxyLocalActivities,
  workflowInfo,
} from '@temporalio/workflow';
import { createScheduleLifecycle } from '@sluice/queue-core/workflow';
import {
  mostPaymentsPerRun,
  type InitActivities,
  type PaymentInitInput,
  type PaymentInitResult,
  type Verdict,
} from './phase-a.js';

// No last attempt in any of them: the producer has its 202, so Phase A waits for whatever is away and then goes on.
const retry = { initialInterval: '200ms', backoffCoefficient: 2, maximumInterval: '30s' } as const;

// Short, idempotent work on our own database runs as local activities: no task of its own, and the requests do not
// enter the history a second time.
const { assessPayments, persistPayments } = proxyLocalActivities<InitActivities>({
  startToCloseTimeout: '20s',
  retry,
});
const { assignSlots } = proxyActivities<InitActivities>({ startToCloseTimeout: '90s', retry });

const schedule = createScheduleLifecycle('PAYMENT');

/**
 * Phase A of one payment or of a chunk: validate, enrich, rules, slots, row, queue. It never waits for the payment's
 * time; that is what the queue is for.
 */
export async function PaymentInitWorkflow({ requests }: PaymentInitInput): Promise<PaymentInitResult> {
  if (requests.length > mostPaymentsPerRun) {
    throw ApplicationFailure.nonRetryable(
      `${requests.length} payments in one run; ${mostPaymentsPerRun} is the most`,
    );
  }
  const { workflowId, startTime } = workflowInfo();
  const verdicts = await assessPayments({ requests, receivedAt: startTime.toISOString() });

  const wishes = verdicts
    .filter(isReady)
    .map(({ paymentId, executeAt }) => ({ paymentId, requestedTime: executeAt }));
  const slots = wishes.length === 0 ? [] : await assignSlots(wishes);

  const { items, result } = await persistPayments({ requests, verdicts, slots, initWorkflowId: workflowId });
  const queued = items.length > 0 ? await schedule(items) : undefined;
  if (queued !== undefined && queued.conflicts.length > 0) {
    // The context is made from the row alone, so this cannot be; if it is, somebody must look before money moves.
    throw ApplicationFailure.nonRetryable(
      `the queue holds these payments with another context: ${queued.conflicts.join(', ')}`,
      'QUEUE_CONFLICT',
    );
  }
  return result;
}

function isReady(verdict: Verdict): verdict is Extract<Verdict, { kind: 'ready' }> {
  return verdict.kind === 'ready';
}
