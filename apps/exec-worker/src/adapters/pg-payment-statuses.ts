import type { PaymentStore } from '@sluice/payments';
import type { Pool } from '@sluice/service-kit/pg';
import type { PaymentStatuses } from '../ports.js';

/** Where payments stand, of many at once. */
export function pgPaymentStatuses(pool: Pool, payments: Pick<PaymentStore, 'findStamps'>): PaymentStatuses {
  return async (paymentIds) => {
    const stamps = await payments.findStamps(pool, paymentIds);
    return new Map(stamps.map(({ paymentId, status }) => [paymentId, status]));
  };
}
