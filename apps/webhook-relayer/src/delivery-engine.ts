import { pause, pollingWorker } from '@sluice/service-kit';
import type { Logger, Worker } from '@sluice/service-kit';
import { createAdmit } from './admission.js';
import { createClaimDue } from './claim-due.js';
import type { Deliver } from './deliver.js';
import type { ClaimedDelivery, DeliveryQueue } from './delivery-ports.js';
import { createFirstAttempts } from './first-attempts.js';
import type { FirstAttempts } from './first-attempts.js';
import type { Guards, Permit } from './guards.js';
import { createHolds } from './holds.js';
import type { Metrics } from './metrics.js';
import { createPlaces } from './places.js';
import { createWakeup } from './wakeup.js';

export interface DeliveryEngineOptions {
  readonly queue: Pick<DeliveryQueue, 'findDue' | 'claim' | 'defer'>;
  readonly guards: Pick<Guards, 'admit' | 'settle'>;
  readonly deliver: Deliver;
  /** Requests in flight in this instance. */
  readonly concurrency: number;
  /** Longer than the longest attempt and the writing of its outcome. */
  readonly leaseMs: number;
  readonly pollIntervalMs: number;
  /** How long requests in flight may go on after the signal; then they are interrupted and given back. */
  readonly drainMs: number;
  readonly newToken: () => string;
  readonly random: () => number;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
  readonly metrics: Metrics;
  readonly log: Logger;
}

export interface DeliveryEngine extends FirstAttempts {
  /** Deliveries wait that did not wait before. */
  wake(): void;
  readonly worker: Worker;
}

/**
 * Makes deliveries, side by side and fairly. First attempts come straight from the intake; retries, and what there was no room
 * for, are claimed when they are due.
 */
export function createDeliveryEngine(options: DeliveryEngineOptions): DeliveryEngine {
  const { metrics, log } = options;
  const stopping = { isStopping: false, interrupt: new AbortController() };
  const wakeup = createWakeup();
  const holds = createHolds(options.now);
  /** More is due than there was room for, so a free place is worth another look. */
  let isShort = false;
  const places = createPlaces({
    total: options.concurrency,
    onChange: (size) => metrics.inFlight.set(size),
    onFreed: (subscriptionId) => {
      if (holds.placeFreed(subscriptionId) || isShort) wakeup.notify();
    },
  });

  const begin = (claim: ClaimedDelivery, permit: Permit): void => {
    metrics.startLag.observe(claim.lagMs / 1_000);
    const work = options.deliver(claim, permit, stopping.interrupt.signal).catch((err: unknown) => {
      log.error(
        { err, deliveryId: claim.id },
        'a delivery failed inside; when its lease ends it is made again',
      );
    });
    places.occupy(claim, work);
  };

  const admit = createAdmit({ ...options, holds });
  const shared = { ...options, admit, begin, places, holds };
  const first = createFirstAttempts({ ...shared, isStopping: () => stopping.isStopping });
  const claimDue = createClaimDue(shared);
  const claimer = pollingWorker({
    name: 'delivery',
    intervalMs: options.pollIntervalMs,
    failureCapMs: 10_000,
    log,
    wake: (signal) => wakeup.wait(signal, holds.nextEndMs()),
    async step() {
      wakeup.clear();
      const turn = await claimDue();
      isShort = turn.short;
      return turn.more;
    },
  });

  return {
    offer: (wanted) => first.offer(wanted),
    accept(offer, stored) {
      first.accept(offer, stored);
      if (stored.waiting > 0) wakeup.notify();
    },
    wake: () => wakeup.notify(),
    worker: {
      name: claimer.name,
      maxBeatMs: claimer.maxBeatMs,
      async run(signal, beat) {
        await claimer.run(signal, beat);
        stopping.isStopping = true;
        await drain(places.idle(), { ms: options.drainMs, interrupt: stopping.interrupt });
      },
    },
  };
}

/** Lets what is under way finish, and interrupts what is not done in time. */
async function drain(
  finished: Promise<void>,
  limit: { readonly ms: number; readonly interrupt: AbortController },
): Promise<void> {
  const drained = new AbortController();
  void pause(limit.ms, drained.signal).then(() => limit.interrupt.abort());
  await finished;
  drained.abort();
}
