import { ApplicationFailure, proxyLocalActivities, workflowInfo } from '@temporalio/workflow';
import {
  mostPaymentsPerRun,
  type InitActivities,
  type PaymentInitInput,
  type PaymentInitResult,
  type Verdict,
} from './phase-a.js';

// No last attempt in any of them: the producer has its 202, so Phase A waits for whatever is away and then goes on.
const retry = { initialInterval: '200ms', backoffCoefficient: 2, maximumInterval: '30s' } as const;

// Short, idempotent work over the whole chunk. As local activities the steps cost one workflow task together, and neither
// requests nor contexts enter the history again. A longer rest between attempts is a timer and holds no worker.
const local = { retry, localRetryThreshold: '2s' } as const;
const { assessPayments, schedulePayments } = proxyLocalActivities<InitActivities>({
  ...local,
  startToCloseTimeout: '30s',
});
const { assignSlots } = proxyLocalActivities<InitActivities>({ ...local, startToCloseTimeout: '65s' });

/**
 * Phase A of one payment or of a chunk: validate, enrich, rules, slots, row and queue. It never waits for the payment's
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

  const input = { requests, verdicts, slots, initWorkflowId: workflowId };
  const { queueConflicts, ...result } = await schedulePayments(input);
  if (queueConflicts.length > 0) {
    // The context is made from stored rows alone, so this cannot be; if it is, somebody must look before money moves.
    throw ApplicationFailure.nonRetryable(
      `the queue holds these payments with another context: ${queueConflicts.join(', ')}`,
      'QUEUE_CONFLICT',
    );
  }
  return result;
}

function isReady(verdict: Verdict): verdict is Extract<Verdict, { kind: 'ready' }> {
  return verdict.kind === 'ready';
}
