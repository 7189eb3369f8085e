import type { PaymentStore, Queryable } from '@sluice/payments';
import type { Payments } from '../ports.js';

/** libs/payments' store on one database. */
export function pgPayments(store: PaymentStore, db: Queryable): Payments {
  return {
    insertScheduled: (payments) => store.insertScheduled(db, payments),
    insertRejected: (payments) => store.insertRejected(db, payments),
    findStamps: (paymentIds) => store.findStamps(db, paymentIds),
    find: (paymentId) => store.find(db, paymentId),
  };
}
