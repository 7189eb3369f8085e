import { z } from 'zod';

export const paymentStatuses = [
  'SCHEDULED',
  'ACCEPTED',
  'PROCESSING',
  'REJECTED',
  'FAILED',
  'CANCELLED',
  'SETTLED',
  'RETURNED',
] as const;
export const PaymentStatus = z.enum(paymentStatuses);
export type PaymentStatus = z.infer<typeof PaymentStatus>;

/** A payment's row begins in one of these. */
export const initialStatuses = ['SCHEDULED', 'REJECTED'] as const satisfies readonly PaymentStatus[];

/**
 * Every change of status there is. SETTLED is final for most payments, but a rail may send the money back days
 * later, so that one way out stays open.
 */
export const paymentTransitions = {
  SCHEDULED: ['ACCEPTED', 'FAILED', 'CANCELLED'],
  ACCEPTED: ['PROCESSING', 'FAILED'],
  PROCESSING: ['SETTLED', 'RETURNED', 'FAILED'],
  SETTLED: ['RETURNED'],
  RETURNED: [],
  REJECTED: [],
  FAILED: [],
  CANCELLED: [],
} as const satisfies Record<PaymentStatus, readonly PaymentStatus[]>;

export function canTransition(from: PaymentStatus, to: PaymentStatus): boolean {
  const targets: readonly PaymentStatus[] = paymentTransitions[from];
  return targets.includes(to);
}
