import { readExecContext } from '@sluice/payments';
import { PaymentMissingError } from './errors.js';
import type { StepInput, StepOutcome } from './exec-steps.js';
import type { Executions } from './ports.js';
import { expectedSettlementDate } from './settlement-date.js';

/** Notes the day on which the money should have arrived. It follows from the context alone, so a repetition sets the same. */
export function createPostProcessPayment({ executions }: { readonly executions: Executions }) {
  return async ({ contextJson }: StepInput): Promise<StepOutcome> => {
    const { paymentId, rail, scheduledTime } = readExecContext(contextJson);
    const date = expectedSettlementDate(rail, new Date(scheduledTime));
    const found = await executions.transaction((transaction) =>
      transaction.setExpectedSettlement({ paymentId, date }),
    );
    if (!found) throw new PaymentMissingError(paymentId);
    return { kind: 'done' };
  };
}
