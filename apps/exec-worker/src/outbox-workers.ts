import type { OutboxStore, OutboxViews } from '@sluice/outbox';
import { pollingWorker } from '@sluice/service-kit';
import type { Logger, Worker } from '@sluice/service-kit';
import { countAttempts } from './metrics.js';
import type { Metrics } from './metrics.js';

const reapAtOnce = 500;
const measureEveryMs = 15_000;

interface Parts {
  readonly railTypes: readonly string[];
  readonly metrics: Metrics;
  readonly log: Logger;
}

/** Gives instructions back whose relay died or lost touch. */
export function reaperWorker(
  store: Pick<OutboxStore, 'reap'>,
  {
    railTypes,
    metrics,
    log,
    intervalMs,
    wake,
  }: Parts & { readonly intervalMs: number; readonly wake: () => void },
): Worker {
  return pollingWorker({
    name: 'outbox-reaper',
    intervalMs,
    log,
    async step() {
      const count = await store.reap({ railTypes, limit: reapAtOnce });
      if (count === 0) return false;
      metrics.reaperRequeues.inc(count);
      countAttempts(metrics, 'ZOMBIE_REQUEUE', count);
      log.warn({ count }, 'leases ran out; the instructions were requeued with an unknown outcome');
      wake();
      return count === reapAtOnce;
    },
  });
}

/** Reads the depths at a pace of its own, so that scraping costs the database nothing. */
export function gaugeWorker(views: Pick<OutboxViews, 'depth'>, { railTypes, metrics, log }: Parts): Worker {
  return pollingWorker({
    name: 'outbox-gauges',
    intervalMs: measureEveryMs,
    log,
    async step() {
      const depth = await views.depth(railTypes);
      metrics.pendingDepth.set(depth.pending);
      metrics.oldestPendingAge.set(depth.oldestPendingAgeSeconds);
      metrics.deadLetters.set(depth.dead);
      metrics.stuck.set(depth.stuck);
      metrics.inDoubt.set(depth.inDoubt);
      metrics.heldParticipants.set(depth.heldParticipants);
      return false;
    },
  });
}
