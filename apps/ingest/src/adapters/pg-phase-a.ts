import type { OutboxProducer } from '@sluice/outbox';
import type { Admissions, PaymentStore } from '@sluice/payments';
import { createPgQueue, type DispatchQueue } from '@sluice/queue-core';
import { inTransaction, type Pool, type PoolClient } from '@sluice/service-kit/pg';
import type { Assessment, Cancellations, Scheduling } from '../ports.js';

export interface PhaseAStores {
  readonly pool: Pool;
  readonly store: PaymentStore;
  readonly admissions: Admissions;
  readonly outbox: OutboxProducer;
  /** Undefined: the queue is in the database of the payments and joins their transactions. */
  readonly otherQueue: DispatchQueue | undefined;
}

const queues = new WeakMap<PoolClient, DispatchQueue>();

/** The queue in the transaction of a client. A pool has few clients for long, and a queue reads its statements from files. */
function queueOn(client: PoolClient): DispatchQueue {
  const queue = queues.get(client) ?? createPgQueue(client);
  queues.set(client, queue);
  return queue;
}

/** What Phase A reads, in the database of the payments. */
export function pgAssessment({ pool, store, admissions }: PhaseAStores): Assessment {
  return {
    findStamps: (paymentIds) => store.findStamps(pool, paymentIds),
    admit: (payments) => inTransaction(pool, (client) => admissions.admit(client, payments)),
  };
}

/** What Phase A writes: rows, events, and where it can be the queue, in one transaction. */
export function pgScheduling({ pool, store, admissions, outbox, otherQueue }: PhaseAStores): Scheduling {
  return {
    async schedule(work) {
      const { items, outcomes, announced } = await inTransaction(pool, async (client) => {
        let announced = false;
        const items = await work({
          insertScheduled: (payments) => store.insertScheduled(client, payments),
          insertRejected: (payments) => store.insertRejected(client, payments),
          findStamps: (paymentIds) => store.findStamps(client, paymentIds),
          releaseLimits: (paymentIds) => admissions.release(client, paymentIds),
          async announce(entries) {
            if (entries.length === 0) return;
            await outbox.enqueue(client, entries);
            announced = true;
          },
        });
        const outcomes =
          otherQueue === undefined && items.length > 0 ? await queueOn(client).enqueue(items) : [];
        return { items, outcomes, announced };
      });
      if (announced) outbox.announce();
      return otherQueue === undefined || items.length === 0 ? outcomes : otherQueue.enqueue(items);
    },
  };
}

/** Takes payments back. */
export function pgCancellations(stores: PhaseAStores): Cancellations {
  const { pool, store, admissions, outbox, otherQueue } = stores;
  return {
    async cancel({ paymentId, reason, by }, work) {
      const order = { itemType: 'PAYMENT', itemIds: [paymentId], reason, by };
      const before = await otherQueue?.cancel(order);
      const done = await inTransaction(pool, async (client) => {
        const [queue] = before ?? (await queueOn(client).cancel(order));
        if (queue === undefined) throw new Error(`the queue did not answer for payment ${paymentId}`);
        return work(
          {
            find: (id) => store.find(client, id),
            transition: (change) => store.transition(client, change),
            releaseLimits: (ids) => admissions.release(client, ids),
            announce: async (entries) => void (await outbox.enqueue(client, entries)),
          },
          queue,
        );
      });
      outbox.announce();
      return done;
    },
  };
}
