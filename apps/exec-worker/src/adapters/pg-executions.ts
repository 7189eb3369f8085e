import type { OutboxProducer } from '@sluice/outbox';
import type { PaymentStore } from '@sluice/payments';
import { inTransaction } from '@sluice/service-kit/pg';
import type { Pool } from '@sluice/service-kit/pg';
import type { Executions } from '../ports.js';

/** Payments and outbox in one PostgreSQL transaction. Relays are told after the commit, never in it. */
export function pgExecutions(parts: {
  readonly pool: Pool;
  readonly payments: PaymentStore;
  readonly outbox: OutboxProducer;
}): Executions {
  const { pool, payments, outbox } = parts;
  return {
    async transaction(work) {
      let enqueued = false;
      const result = await inTransaction(pool, (client) =>
        work({
          transition: (change) => payments.transition(client, change),
          setExpectedSettlement: (payment) => payments.setExpectedSettlement(client, payment),
          find: (paymentId) => payments.find(client, paymentId),
          async enqueue(entries) {
            await outbox.enqueue(client, entries);
            enqueued = true;
          },
        }),
      );
      if (enqueued) outbox.announce();
      return result;
    },
  };
}
