import { createPgOutboxListener, createRelay } from '@sluice/outbox';
import type { Destination, OutboxStore, OutboxViews } from '@sluice/outbox';
import { rails } from '@sluice/payments';
import type { Logger, Worker } from '@sluice/service-kit';
import type { z } from 'zod';
import type { environment } from './config.js';
import type { Metrics } from './metrics.js';
import { observeRelay } from './observe-relay.js';
import { gaugeWorker, reaperWorker } from './outbox-workers.js';

interface Parts {
  readonly outbox: OutboxStore & OutboxViews;
  /** one gateway serves all rails */
  readonly rail: Destination;
  readonly config: z.infer<typeof environment>;
  readonly metrics: Metrics;
  readonly log: Logger;
}

// The relay's own limit is the second wall: the adapter's comes first and knows better what happened.
const graceMs = 1_000;

/** Everything that takes instructions from the outbox to the rails. */
export function createRailWorkers({ outbox, rail, config, metrics, log }: Parts): readonly Worker[] {
  const relay = createRelay({
    name: 'rail-relay',
    store: outbox,
    destinations: Object.fromEntries(rails.map((railType) => [railType, rail])),
    concurrency: config.SLUICE_RELAY_CONCURRENCY,
    leaseSeconds: config.SLUICE_LEASE_SECONDS,
    pollIntervalMs: config.SLUICE_RELAY_POLL_SECONDS,
    callTimeoutMs: config.SLUICE_RAIL_TIMEOUT_SECONDS + graceMs,
    maxAttempts: config.SLUICE_RAIL_MAX_ATTEMPTS,
    observer: observeRelay(metrics, log),
  });
  const listener = createPgOutboxListener({
    url: config.PG_URL,
    applicationName: 'exec-worker listener',
    onWake() {
      metrics.notifyWakeups.inc();
      relay.wake();
    },
    onError: (err) => log.warn({ err }, 'not listening for hints; polling goes on'),
  });
  const parts = { railTypes: rails, metrics, log };
  const intervalMs = config.SLUICE_REAP_SECONDS;
  const reaper = reaperWorker(outbox, { ...parts, intervalMs, wake: () => relay.wake() });
  return [relay, listener, reaper, gaugeWorker(outbox, parts)];
}
