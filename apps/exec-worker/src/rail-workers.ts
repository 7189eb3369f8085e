import { createPgOutboxListener, createRelay } from '@sluice/outbox';
import type { OutboxMaintenance, OutboxStore, OutboxViews } from '@sluice/outbox';
import { rails } from '@sluice/payments';
import type { Logger, Worker } from '@sluice/service-kit';
import { concurrencyByRail } from './config.js';
import type { Config } from './config.js';
import type { Metrics } from './metrics.js';
import { observeRelay } from './observe-relay.js';
import { circuitModeWorker, gaugeWorker, maintenanceWorker, reaperWorker } from './outbox-workers.js';
import type { RailBoard } from './rails/rail-board.js';

interface Parts {
  /** tells payments of outcomes as well */
  readonly store: OutboxStore;
  readonly outbox: OutboxViews & OutboxMaintenance;
  readonly board: RailBoard;
  readonly config: Config;
  readonly metrics: Metrics;
  readonly log: Logger;
}

// The relay's own limit is the second wall: the adapter's comes first and knows better what happened.
const graceMs = 1_000;

/** Everything that takes instructions from the outbox to the rails. */
export function createRailWorkers({ store, outbox, board, config, metrics, log }: Parts): readonly Worker[] {
  const relay = createRelay({
    name: 'rail-relay',
    store,
    destinations: board.destinations,
    concurrency: config.SLUICE_RELAY_CONCURRENCY,
    concurrencyByRailType: concurrencyByRail(config.SLUICE_RAIL_CONCURRENCY),
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
  const wake = () => relay.wake();
  return [
    relay,
    listener,
    reaperWorker(store, { ...parts, intervalMs: config.SLUICE_REAP_SECONDS, wake }),
    gaugeWorker(outbox, parts),
    circuitModeWorker(board, log),
    maintenanceWorker(outbox, { keepMonths: config.SLUICE_ATTEMPTS_KEEP_MONTHS, log }),
  ];
}
