import type { OutboxEntry } from '@sluice/outbox';
import { PaymentId } from '@sluice/payments';
import type { Amount, PaymentExecContext, PaymentStatus, Rail, Reason } from '@sluice/payments';

const instructionPrefix = 'ins-';

/** The payment that an instruction belongs to; undefined for what is no instruction to a rail. */
export function paymentIdOf(instructionId: string): PaymentId | undefined {
  if (!instructionId.startsWith(instructionPrefix)) return undefined;
  return PaymentId.safeParse(instructionId.slice(instructionPrefix.length)).data;
}

/** The order to the rail. Its id is its key: the rail sees the same one on every attempt. */
export function instructionEntry(context: PaymentExecContext): OutboxEntry {
  const { paymentId, participantId, rail, amount, destination, reference } = context;
  const instructionId = `${instructionPrefix}${paymentId}`;
  return {
    instructionId,
    participantId,
    idempotencyKey: instructionId,
    railType: rail,
    payload: {
      instructionId,
      paymentId,
      participantId,
      rail,
      amount,
      destination,
      ...(reference === undefined ? {} : { reference }),
    },
  };
}

export interface EventSubject {
  readonly paymentId: string;
  readonly participantId: string | null;
  readonly rail: Rail | null;
  readonly amount: Amount | null;
}

/** What subscribers are told. Events of one payment keep their order; those of two do not wait for each other. */
export function eventEntry(
  subject: EventSubject,
  change: { readonly status: PaymentStatus; readonly reason?: Reason },
  now: Date,
): OutboxEntry {
  const { paymentId, participantId, rail, amount } = subject;
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
