import type { OutboxEntry } from '@sluice/outbox';
import type { Amount, PaymentId, PaymentStatus, Rail, Reason } from '@sluice/payments';

export interface EventSubject {
  readonly paymentId: PaymentId;
  /** Null, as the two below, in a payment that was rejected because its request could not be read. */
  readonly participantId: string | null;
  readonly rail: Rail | null;
  readonly amount: Amount | null;
}

/** What subscribers are told of a payment that ends here. One event for each status, so that its id needs no number. */
export function paymentEvent(
  { paymentId, participantId, rail, amount }: EventSubject,
  change: { readonly status: PaymentStatus; readonly reason: Reason },
  now: Date,
): OutboxEntry {
  const type = `payment.${change.status.toLowerCase()}`;
  const id = `evt-${paymentId}-${type}`;
  return {
    instructionId: id,
    participantId: `event:${paymentId}`,
    idempotencyKey: id,
    railType: 'EVENT',
    payload: {
      id,
      type,
      source: 'sluice',
      time: now.toISOString(),
      data: { paymentId, participantId, rail, amount, ...change },
    },
  };
}
