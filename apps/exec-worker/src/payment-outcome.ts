import type { Outcome } from '@sluice/outbox';
import { reasonOf } from '@sluice/payments';
import type { Rail, Reason } from '@sluice/payments';
import { railProfiles } from './rails/rail-profiles.js';
import { isRejection } from './rails/rail-codes.js';

/** What the outcome of an instruction means for its payment; undefined: nothing yet. */
export type PaymentOutcome =
  { readonly status: 'SETTLED' } | { readonly status: 'FAILED'; readonly reason: Reason };

/**
 * A payment fails with its instruction only when nobody could execute it any more. After too many attempts a person may
 * still redrive it, and while it is in doubt nobody knows.
 */
export function paymentOutcome(rail: Rail, outcome: Outcome): PaymentOutcome | undefined {
  if (outcome.kind === 'executed' && railProfiles[rail].finalOnExecution) return { status: 'SETTLED' };
  if (outcome.kind === 'failed' && isRejection(outcome.code)) {
    return { status: 'FAILED', reason: reasonOf(outcome.code, outcome.message) };
  }
  return undefined;
}
