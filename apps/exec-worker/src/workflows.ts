import { proxyLocalActivities, workflowInfo } from '@temporalio/workflow';
import type { ExecActivities, ExecResult, StepInput } from './exec-steps.js';

// Local, since each is one short transaction: one workflow task a payment, and the context enters the history once.
// No last attempt: a payment that was released is executed when the database is back.
const { execute, postProcess, notify } = proxyLocalActivities<ExecActivities>({
  startToCloseTimeout: '30s',
  retry: { initialInterval: '200ms', backoffCoefficient: 2, maximumInterval: '30s' },
});

/** Phase B of one payment: SCHEDULED → ACCEPTED → PROCESSING. What leaves the house leaves through the outbox. */
export async function PaymentExecWorkflow(itemId: string, contextJson: string): Promise<ExecResult> {
  const input: StepInput = { paymentId: itemId, contextJson, by: workflowInfo().workflowId };
  for (const step of [execute, postProcess, notify]) {
    const outcome = await step(input);
    if (outcome.kind === 'stopped') return { status: outcome.status };
  }
  return { status: 'PROCESSING' };
}
