import { randomUUID } from 'node:crypto';
import type { Worker } from '@sluice/service-kit';
import { createEventRelay } from './adapters/outbox-relay.js';
import type { Config } from './config.js';
import { createDeliveryWorker, createSweepWorker } from './delivery-worker.js';
import { createIntakeWorker } from './intake-worker.js';
import type { UseCaseParts, UseCases } from './use-cases.js';

/** What the writing of an outcome may take after the request itself, its retries included. */
const WRITE_MS = 30_000;
/** Left of the time to drain for giving back what was interrupted. */
const GIVE_BACK_MS = 2_000;

/** The loops of the service, in the order in which an event passes them. */
export function createWorkers(config: Config, parts: UseCaseParts, useCases: UseCases): Worker[] {
  const { metrics, log } = parts;
  const { queue, deliver, wakeup } = useCases;
  return [
    ...createEventRelay({ ...parts, url: config.PG_URL, topic: parts.topics.topic }),
    createIntakeWorker(parts.source, useCases.storeEvents),
    createDeliveryWorker({
      queue,
      deliver,
      wakeup,
      metrics,
      log,
      newToken: randomUUID,
      ...deliverySizes(config),
    }),
    createSweepWorker({ queue, wakeup, metrics, log }),
  ];
}

/** They follow from the settings, and so cannot contradict each other. */
function deliverySizes(config: Config) {
  return {
    concurrency: config.SLUICE_DELIVERY_CONCURRENCY,
    limitPerSubscription: config.SLUICE_SUBSCRIPTION_CONCURRENCY,
    pollIntervalMs: config.SLUICE_POLL_INTERVAL_SECONDS,
    // A lease shorter than the attempt would let two senders make one delivery.
    leaseMs: config.SLUICE_REQUEST_TIMEOUT_SECONDS + WRITE_MS,
    drainMs: Math.max(0, config.SLUICE_DRAIN_SECONDS * 1_000 - GIVE_BACK_MS),
  };
}
