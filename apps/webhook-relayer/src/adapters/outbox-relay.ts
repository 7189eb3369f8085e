import { createPgOutbox, createPgOutboxListener, createRelay } from '@sluice/outbox';
import type { Logger, Worker } from '@sluice/service-kit';
import type { Pool } from '@sluice/service-kit/pg';
import type { Metrics } from '../metrics.js';
import type { MessageSink } from '../ports.js';
import { createEventDestination } from '../relay-event.js';

export interface EventRelayOptions {
  readonly pool: Pool;
  readonly url: string;
  readonly sink: MessageSink;
  readonly topic: string;
  readonly metrics: Metrics;
  readonly log: Logger;
}

/** Takes events from the outbox to Kafka, and listens for the hint that there are new ones. */
export function createEventRelay({ pool, url, sink, topic, metrics, log }: EventRelayOptions): Worker[] {
  const relay = createRelay({
    name: 'event-relay',
    store: createPgOutbox(pool),
    destinations: { EVENT: createEventDestination({ sink, topic }) },
    concurrency: 64,
    // Longer than the sink's own limit, so that its answer is not cut off.
    callTimeoutMs: 20_000,
    leaseSeconds: 60,
    // Kafka knows no event that is wrong in itself, so however long it is away, no event is given up.
    maxAttempts: 1_000_000,
    observer: {
      settled: (_claim, outcome) => metrics.relayed.inc({ outcome: outcome.kind }),
      failed: (step, err) =>
        log.error({ err, step }, 'the outbox could not be read or written; it will be tried again'),
    },
  });
  const listener = createPgOutboxListener({
    url,
    applicationName: 'webhook-relayer-listener',
    onWake: () => relay.wake(),
    onError: (err) => log.warn({ err }, 'the outbox listener lost its connection; polling goes on'),
  });
  return [relay, listener];
}
