import { randomUUID } from 'node:crypto';
import { createPgOutbox } from '@sluice/outbox';
import { systemClock } from '@sluice/service-kit';
import type { Logger } from '@sluice/service-kit';
import { createPgDeliveries } from './adapters/pg-deliveries.js';
import { createDisableSubscription } from './adapters/pg-disable-subscription.js';
import { createPgEvents } from './adapters/pg-events.js';
import { createPgHealth } from './adapters/pg-health.js';
import type { Config } from './config.js';
import type { Connections } from './connections.js';
import { createDeliver } from './deliver.js';
import { createDeliveryEngine } from './delivery-engine.js';
import type { Metrics } from './metrics.js';
import { rememberOpened } from './remembered-secrets.js';
import { createSigner } from './sign-request.js';
import { createStoreEvents } from './store-events.js';
import { createHealthTally } from './health-tally.js';
import { createOutcomeWriter } from './write-outcomes.js';

/** What the writing of an outcome may take after the request itself, its retries included. */
const WRITE_MS = 30_000;
/** Left of the time to drain for giving back what was interrupted. */
const GIVE_BACK_MS = 2_000;

export interface DeliveryPartsOptions {
  readonly config: Config;
  readonly outside: Connections;
  readonly topics: { readonly topic: string; readonly deadLetterTopic: string };
  readonly metrics: Metrics;
  readonly log: Logger;
}

export type DeliveryParts = ReturnType<typeof createDeliveryParts>;

/** From a message to the customer's endpoint. */
export function createDeliveryParts({ config, outside, topics, metrics, log }: DeliveryPartsOptions) {
  const { pool, guards, sender, sink, secrets } = outside;
  const defaults = {
    maxConcurrency: config.SLUICE_SUBSCRIPTION_CONCURRENCY,
    ratePerSecond: config.SLUICE_SUBSCRIPTION_RATE,
  };
  const outbox = createPgOutbox(pool);
  const disable = createDisableSubscription(outbox);
  const queue = createPgDeliveries(pool, { defaults, disable });
  const health = createPgHealth(pool, disable);
  const tally = createHealthTally({ store: health, log });
  const random = Math.random;
  const deliver = createDeliver({
    queue,
    guards,
    sender,
    sign: createSigner({ secrets: rememberOpened(secrets), clock: systemClock }),
    write: createOutcomeWriter({ queue, random }),
    reportHealth: (report) => tally.report(report),
    clock: systemClock,
    random,
    metrics,
    log,
  });
  const engine = createDeliveryEngine({
    queue,
    guards,
    deliver,
    ...engineSizes(config),
    newToken: randomUUID,
    random,
    now: () => performance.now(),
    metrics,
    log,
  });
  const events = createPgEvents(pool, defaults);
  const storeEvents = createStoreEvents({ events, sink, engine, metrics, log, ...topics });
  return { queue, health, tally, engine, storeEvents, announceEvents: () => outbox.announce() };
}

/** They follow from the settings, and so cannot contradict each other. */
function engineSizes(config: Config) {
  return {
    concurrency: config.SLUICE_DELIVERY_CONCURRENCY,
    pollIntervalMs: config.SLUICE_POLL_INTERVAL_SECONDS,
    // A lease shorter than the attempt would let two senders make one delivery.
    leaseMs: config.SLUICE_REQUEST_TIMEOUT_SECONDS + WRITE_MS,
    drainMs: Math.max(0, config.SLUICE_DRAIN_SECONDS * 1_000 - GIVE_BACK_MS),
  };
}
