import { createPgOutbox } from '@sluice/outbox';
import type { OutboxProducer, PgOutbox } from '@sluice/outbox';
import type { PaymentStore } from '@sluice/payments';
import { inTransaction } from '@sluice/service-kit/pg';
import type { Pool, PoolClient } from '@sluice/service-kit/pg';
import type { Executions } from '../ports.js';

/** Payments and outbox in one PostgreSQL transaction. Relays are told after the commit, never in it. */
export function pgExecutions(parts: {
  readonly pool: Pool;
  readonly payments: PaymentStore;
  readonly outbox: OutboxProducer;
}): Executions {
  const { pool, payments, outbox } = parts;
  const outboxOn = createOutboxOnClient();
  return {
    async transaction(work) {
      let enqueued = false;
      const result = await inTransaction(pool, (client) =>
        work({
          transition: (change) => payments.transition(client, change),
          transitionMany: (change) => payments.transitionMany(client, change),
          setExpectedSettlement: (payment) => payments.setExpectedSettlement(client, payment),
          find: (paymentId) => payments.find(client, paymentId),
          settle: (settlements) => outboxOn(client).settle(settlements),
          resolve: (request) => outboxOn(client).resolve(request),
          discard: (request) => outboxOn(client).discard(request),
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

/**
 * The outbox on one connection, so that what it writes belongs to the transaction there. All it does is run single statements,
 * which a client does as well as a pool. Connections are few and live long: one outbox is made for each.
 */
function createOutboxOnClient(): (client: PoolClient) => PgOutbox {
  const outboxes = new WeakMap<PoolClient, PgOutbox>();
  return (client) => {
    const known = outboxes.get(client);
    if (known) return known;
    const outbox = createPgOutbox(client as unknown as Pool);
    outboxes.set(client, outbox);
    return outbox;
  };
}
