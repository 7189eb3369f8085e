import { pause, pollingWorker } from '@sluice/service-kit';
import type { Logger, Worker } from '@sluice/service-kit';
import type { Deliver } from './deliver.js';
import type { Metrics } from './metrics.js';
import type { ClaimedDelivery, DeliveryQueue } from './ports.js';
import type { Wakeup } from './wakeup.js';

export interface DeliveryWorkerOptions {
  readonly queue: DeliveryQueue;
  readonly deliver: Deliver;
  readonly wakeup: Wakeup;
  readonly concurrency: number;
  readonly limitPerSubscription: number;
  /** Longer than the longest attempt and the writing of its outcome. */
  readonly leaseMs: number;
  readonly pollIntervalMs: number;
  /** How long requests in flight may go on after the signal; then they are interrupted and given back. */
  readonly drainMs: number;
  readonly newToken: () => string;
  readonly metrics: Metrics;
  readonly log: Logger;
}

/** Claims due deliveries, never more than there are free places, and carries them out side by side. */
export function createDeliveryWorker(options: DeliveryWorkerOptions): Worker {
  const { queue, wakeup, metrics, log } = options;
  const inFlight = new Set<Promise<void>>();
  const interrupt = new AbortController();

  const begin = (claim: ClaimedDelivery): void => {
    const work = options
      .deliver(claim, interrupt.signal)
      .catch((err: unknown) => {
        log.error(
          { err, deliveryId: claim.id },
          'a delivery failed inside; its lease will expire and it will be made again',
        );
      })
      .finally(() => {
        inFlight.delete(work);
        metrics.inFlight.set(inFlight.size);
        // A place is free, and its subscription may have more.
        wakeup.notify();
      });
    inFlight.add(work);
    metrics.inFlight.set(inFlight.size);
  };

  const claimer = pollingWorker({
    name: 'delivery',
    intervalMs: options.pollIntervalMs,
    failureCapMs: 10_000,
    log,
    wake: (signal) => wakeup.wait(signal),
    async step() {
      wakeup.clear();
      const limit = options.concurrency - inFlight.size;
      if (limit <= 0) return false;
      const { limitPerSubscription, leaseMs } = options;
      const claims = await queue.claim({ token: options.newToken(), limit, limitPerSubscription, leaseMs });
      claims.forEach(begin);
      return claims.length > 0;
    },
  });

  return {
    name: claimer.name,
    maxBeatMs: claimer.maxBeatMs,
    async run(signal, beat) {
      await claimer.run(signal, beat);
      const drained = new AbortController();
      void pause(options.drainMs, drained.signal).then(() => interrupt.abort());
      await Promise.all(inFlight);
      drained.abort();
    },
  };
}

export interface SweepWorkerOptions {
  readonly queue: DeliveryQueue;
  readonly wakeup: Wakeup;
  readonly metrics: Metrics;
  readonly log: Logger;
}

const SWEEP_LIMIT = 500;

/** Keeps the queue clean: leases that ran out, deliveries whose subscription has ended. */
export function createSweepWorker({ queue, wakeup, metrics, log }: SweepWorkerOptions): Worker {
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
      if (expired > 0) wakeup.notify();
      return expired === SWEEP_LIMIT || cancelled === SWEEP_LIMIT;
    },
  });
}
