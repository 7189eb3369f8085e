import { pollingWorker } from '@sluice/service-kit';
import type { Logger, Worker } from '@sluice/service-kit';
import type { DeliveryQueue, HealthStore } from './delivery-ports.js';
import type { Metrics } from './metrics.js';

export interface SweepWorkerOptions {
  readonly queue: Pick<DeliveryQueue, 'sweep'>;
  readonly wake: () => void;
  readonly metrics: Metrics;
  readonly log: Logger;
}

const SWEEP_LIMIT = 500;

/** Keeps the queue clean: leases that ran out, deliveries whose subscription has ended. */
export function createSweepWorker({ queue, wake, metrics, log }: SweepWorkerOptions): Worker {
  return pollingWorker({
    name: 'sweep',
    intervalMs: 2_000,
    log,
    async step() {
      const { expired, cancelled, overdueSeconds } = await queue.sweep(SWEEP_LIMIT);
      metrics.overdue.set(overdueSeconds);
      metrics.leasesExpired.inc(expired);
      metrics.cancelled.inc(cancelled);
      if (expired > 0)
        log.warn({ expired }, 'deliveries were taken back from senders that did not report in time');
      if (expired > 0) wake();
      return expired === SWEEP_LIMIT || cancelled === SWEEP_LIMIT;
    },
  });
}

export interface DisableWorkerOptions {
  readonly health: Pick<HealthStore, 'disableFailing'>;
  /** After so long of nothing but failures. */
  readonly afterMs: number;
  readonly onDisabled: () => void;
  readonly metrics: Metrics;
  readonly log: Logger;
}

const DISABLE_LIMIT = 100;

/** Disables subscriptions whose endpoints have only failed for days. */
export function createDisableWorker(options: DisableWorkerOptions): Worker {
  const { health, afterMs, metrics, log } = options;
  return pollingWorker({
    name: 'disable-failing',
    intervalMs: 60_000,
    log,
    async step() {
      const disabled = await health.disableFailing(afterMs, DISABLE_LIMIT);
      metrics.disabled.inc(disabled.length);
      for (const subscriptionId of disabled)
        log.warn({ subscriptionId, afterMs }, 'a subscription was disabled: its endpoint has only failed');
      if (disabled.length > 0) options.onDisabled();
      return disabled.length === DISABLE_LIMIT;
    },
  });
}
