import { OutboxConflictError } from '@sluice/outbox';
import { reasonOf } from '@sluice/payments';
import type { PaymentExecContext, PaymentId, Reason } from '@sluice/payments';
import type { Clock } from '@sluice/service-kit';
import type { StepInput, StepOutcome } from './exec-steps.js';
import { eventEntry, instructionEntry } from './outbox-entries.js';
import type { Executions } from './ports.js';
import { readContext } from './read-context.js';
import { outcomeOfChange } from './step-outcome.js';

interface Parts {
  readonly executions: Executions;
  readonly clock: Clock;
}

/**
 * SCHEDULED → ACCEPTED, with the order to the rail and the news of it; or SCHEDULED → FAILED, with the reason, when the
 * payment cannot be executed at all.
 */
export function createExecutePayment(parts: Parts) {
  return async (input: StepInput): Promise<StepOutcome> => {
    const reading = readContext(input);
    if (reading.kind === 'unusable') return fail(parts, reading, input.by);
    try {
      return await accept(parts, reading.context, input.by);
    } catch (error) {
      if (!(error instanceof OutboxConflictError)) throw error;
      // Whatever stands in the outbox under this payment's name is not this payment.
      const reason = reasonOf('INSTRUCTION_CONFLICT', error.message);
      return fail(parts, { paymentId: reading.context.paymentId, reason }, input.by);
    }
  };
}

function accept({ executions, clock }: Parts, context: PaymentExecContext, by: string): Promise<StepOutcome> {
  const { paymentId } = context;
  return executions.transaction(async (transaction) => {
    const change = await transaction.transition({ paymentId, from: 'SCHEDULED', to: 'ACCEPTED', by });
    if (change.kind === 'changed') {
      const news = eventEntry(context, { status: 'ACCEPTED' }, clock.now());
      await transaction.enqueue([instructionEntry(context), news]);
    }
    return outcomeOfChange(paymentId, change);
  });
}

function fail(
  { executions, clock }: Parts,
  { paymentId, reason }: { readonly paymentId: PaymentId; readonly reason: Reason },
  by: string,
): Promise<StepOutcome> {
  return executions.transaction(async (transaction) => {
    const change = await transaction.transition({ paymentId, from: 'SCHEDULED', to: 'FAILED', reason, by });
    if (change.kind === 'changed') {
      const payment = await transaction.find(paymentId);
      if (payment)
        await transaction.enqueue([eventEntry(payment, { status: 'FAILED', reason }, clock.now())]);
    }
    const outcome = outcomeOfChange(paymentId, change);
    return outcome.kind === 'done' ? { kind: 'stopped', status: 'FAILED' } : outcome;
  });
}
