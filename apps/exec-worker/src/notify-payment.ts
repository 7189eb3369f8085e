import { readExecContext } from '@sluice/payments';
import type { Clock } from '@sluice/service-kit';
import type { StepInput, StepOutcome } from './exec-steps.js';
import { eventEntry } from './outbox-entries.js';
import type { Executions } from './ports.js';
import { outcomeOfChange } from './step-outcome.js';

/** ACCEPTED → PROCESSING, and the news of it. */
export function createNotifyPayment({
  executions,
  clock,
}: {
  readonly executions: Executions;
  readonly clock: Clock;
}) {
  return async ({ contextJson, by }: StepInput): Promise<StepOutcome> => {
    const context = readExecContext(contextJson);
    const { paymentId } = context;
    return executions.transaction(async (transaction) => {
      const change = await transaction.transition({ paymentId, from: 'ACCEPTED', to: 'PROCESSING', by });
      if (change.kind === 'changed') {
        await transaction.enqueue([eventEntry(context, { status: 'PROCESSING' }, clock.now())]);
      }
      return outcomeOfChange(paymentId, change);
    });
  };
}
