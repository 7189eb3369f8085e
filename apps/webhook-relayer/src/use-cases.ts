import { randomBytes } from 'node:crypto';
import { systemClock } from '@sluice/service-kit';
import type { Logger } from '@sluice/service-kit';
import { uuidv7 } from 'uuidv7';
import { createPgDeliveries } from './adapters/pg-deliveries.js';
import { createPgEvents } from './adapters/pg-events.js';
import { createPgSubscriptions } from './adapters/pg-subscriptions.js';
import type { Connections } from './connections.js';
import { createDeliver } from './deliver.js';
import type { Metrics } from './metrics.js';
import { createPublish } from './publish-event.js';
import { standardSchedule as schedule } from './retry-schedule.js';
import { createStoreEvents } from './store-events.js';
import { createSubscribe } from './subscribe.js';
import { createWakeup } from './wakeup.js';

export type UseCases = ReturnType<typeof createUseCases>;

export interface UseCaseParts extends Connections {
  readonly topics: { readonly topic: string; readonly deadLetterTopic: string };
  readonly metrics: Metrics;
  readonly log: Logger;
}

/** What the service can do, on what it is connected to. */
export function createUseCases(parts: UseCaseParts) {
  const { pool, topics } = parts;
  const events = createPgEvents(pool, { maxAttempts: schedule.maxAttempts });
  const subscriptions = createPgSubscriptions(pool);
  const queue = createPgDeliveries(pool);
  const wakeup = createWakeup();
  const onDeliveries = (): void => wakeup.notify();
  return {
    events,
    subscriptions,
    queue,
    wakeup,
    publish: createPublish({ ...parts, ...topics, clock: systemClock, newId: uuidv7 }),
    subscribe: createSubscribe({ ...parts, subscriptions, randomBytes, newId: uuidv7 }),
    storeEvents: createStoreEvents({ ...parts, ...topics, events, onDeliveries }),
    deliver: createDeliver({ ...parts, queue, schedule, clock: systemClock, random: Math.random }),
  };
}
