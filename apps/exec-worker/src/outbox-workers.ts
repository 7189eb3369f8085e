import type { OutboxMaintenance, OutboxStore, OutboxViews } from '@sluice/outbox';
import { pollingWorker } from '@sluice/service-kit';
import type { Logger, Worker } from '@sluice/service-kit';
import { countAttempts } from './metrics.js';
import type { Metrics } from './metrics.js';
import type { RailBoard } from './rails/rail-board.js';

const reapAtOnce = 500;
const measureEveryMs = 15_000;
const readModesEveryMs = 2_000;
const maintainEveryMs = 3_600_000;
const monthsAhead = 3;

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

/** Takes up what operators said about circuits through other instances. */
export function circuitModeWorker(board: Pick<RailBoard, 'refresh'>, log: Logger): Worker {
  return pollingWorker({
    name: 'circuit-modes',
    intervalMs: readModesEveryMs,
    failureCapMs: readModesEveryMs,
    log,
    async step() {
      await board.refresh();
      return false;
    },
  });
}

/** Makes the months of the attempts archive before they begin, and drops those that are old enough. */
export function maintenanceWorker(
  maintenance: OutboxMaintenance,
  { keepMonths, log }: { readonly keepMonths: number; readonly log: Logger },
): Worker {
  return pollingWorker({
    name: 'attempts-archive',
    intervalMs: maintainEveryMs,
    log,
    async step() {
      const keep = keepMonths === 0 ? undefined : keepMonths;
      const report = await maintenance.maintainPartitions({ monthsAhead, keepMonths: keep });
      if (report.created.length + report.dropped.length > 0) log.info(report, 'the attempts archive changed');
      if (report.strays > 0) log.error(report, 'attempts lie outside of every month; they are never dropped');
      return false;
    },
  });
}
