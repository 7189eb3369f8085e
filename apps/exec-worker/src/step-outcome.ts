import type { TransitionOutcome } from '@sluice/payments';
import { PaymentMissingError } from './errors.js';
import type { StepOutcome } from './exec-steps.js';

/** A change that stands is done, whoever made it; a payment that stands elsewhere has left this way. */
export function outcomeOfChange(paymentId: string, change: TransitionOutcome): StepOutcome {
  if (change.kind !== 'refused') return { kind: 'done' };
  if (change.status === null) throw new PaymentMissingError(paymentId);
  return { kind: 'stopped', status: change.status };
}
