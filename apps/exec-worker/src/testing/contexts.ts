import { buildExecContext, PaymentRequest, writeExecContext } from '@sluice/payments';
import type { PaymentExecContext } from '@sluice/payments';

/** A Friday. */
export const scheduledTime = new Date('2026-03-06T16:00:00.000Z');

export function requestFor(paymentId: string, change: Record<string, unknown> = {}): PaymentRequest {
  return PaymentRequest.parse({
    paymentId,
    participantId: 'acme',
    rail: 'SEPA',
    amount: { minorUnits: 1250, currency: 'EUR' },
    destination: { iban: 'DE89370400440532013000' },
    reference: 'invoice 7',
    ...change,
  });
}

export function contextFor(paymentId: string, change: Record<string, unknown> = {}): PaymentExecContext {
  return buildExecContext(requestFor(paymentId, change), scheduledTime);
}

export function contextJsonFor(paymentId: string, change: Record<string, unknown> = {}): string {
  return writeExecContext(contextFor(paymentId, change));
}
