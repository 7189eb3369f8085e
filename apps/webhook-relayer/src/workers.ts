import { pollingWorker } from '@sluice/service-kit';
import type { Logger, Worker } from '@sluice/service-kit';
import { createEventRelay } from './adapters/outbox-relay.js';
import type { Config } from './config.js';
import type { Connections } from './connections.js';
import type { DeliveryParts } from './delivery-parts.js';
import { createIntakeWorker } from './intake-worker.js';
import type { Metrics } from './metrics.js';
import { createDisableWorker, createSweepWorker } from './sweep-worker.js';

export interface WorkerParts {
  readonly config: Config;
  readonly outside: Connections;
  readonly delivery: DeliveryParts;
  readonly metrics: Metrics;
  readonly log: Logger;
}

const DAY_MS = 24 * 3_600_000;

/** The loops of the service, in the order in which an event passes them. */
export function createWorkers({ config, outside, delivery, metrics, log }: WorkerParts): Worker[] {
  const { queue, health, engine } = delivery;
  const { pool, sink, source, maintainGuards } = outside;
  return [
    ...createEventRelay({ pool, sink, metrics, log, url: config.PG_URL, topic: config.SLUICE_EVENTS_TOPIC }),
    createIntakeWorker(source, delivery.storeEvents),
    engine.worker,
    delivery.tally.worker,
    createSweepWorker({ queue, wake: () => engine.wake(), metrics, log }),
    createDisableWorker({
      health,
      afterMs: config.SLUICE_DISABLE_AFTER_DAYS * DAY_MS,
      onDisabled: delivery.announceEvents,
      metrics,
      log,
    }),
    pollingWorker({
      name: 'guards',
      intervalMs: 1_000,
      log,
      step: async () => {
        await maintainGuards();
        return false;
      },
    }),
  ];
}
