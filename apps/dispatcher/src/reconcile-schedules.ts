import type { ConfigRow, DispatchQueue } from '@sluice/queue-core';
import { pollingWorker } from '@sluice/service-kit';
import type { Clock, Logger, Worker } from '@sluice/service-kit';
import type { DispatchSchedules, SchedulePlan } from './ports.js';

export interface ReconcileParts {
  readonly queue: Pick<DispatchQueue, 'listConfigs'>;
  readonly schedules: Pick<DispatchSchedules, 'ensure'>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly schedulePrefix: string;
  readonly taskQueue: string;
}

const readConfigsEveryMs = 5_000;

// A Schedule can be deleted or changed by hand; without a change of config it is looked at this often.
const verifyEveryMs = 60_000;

/** Keeps one Schedule for each config row, also when its interval changes. */
export function scheduleWorker(parts: ReconcileParts): Worker {
  const reconcile = createReconcileSchedules(parts);
  return pollingWorker({
    name: 'schedules',
    intervalMs: readConfigsEveryMs,
    log: parts.log,
    step: (signal) => reconcile(signal).then(() => false),
  });
}

/** One pass over all config rows. A failure of one item type spares the others. */
export function createReconcileSchedules(parts: ReconcileParts): (signal: AbortSignal) => Promise<void> {
  const verified = new Map<string, { plan: string; atMs: number }>();
  return async (signal) => {
    const failures: unknown[] = [];
    for (const row of await parts.queue.listConfigs()) {
      if (signal.aborted) return;
      const plan = planSchedule(row, parts);
      const fingerprint = JSON.stringify(plan);
      const known = verified.get(row.itemType);
      const nowMs = parts.clock.now().getTime();
      if (known?.plan === fingerprint && nowMs - known.atMs < verifyEveryMs) continue;
      try {
        const change = await parts.schedules.ensure(plan);
        verified.set(row.itemType, { plan: fingerprint, atMs: nowMs });
        if (change !== 'unchanged') {
          const { itemType, scheduleId, intervalSecs } = plan;
          parts.log.info({ itemType, scheduleId, intervalSecs }, `dispatch schedule ${change}`);
        }
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw new AggregateError(failures, 'some dispatch schedules are not up to date');
  };
}

export function planSchedule(
  row: Pick<ConfigRow, 'itemType' | 'config'>,
  names: { schedulePrefix: string; taskQueue: string },
): SchedulePlan {
  return {
    scheduleId: scheduleIdOf(names.schedulePrefix, row.itemType),
    itemType: row.itemType,
    intervalSecs: row.config.dispatchIntervalSecs,
    taskQueue: names.taskQueue,
    runTimeoutSecs: row.config.dispatchIntervalSecs + 120,
  };
}

export function scheduleIdOf(prefix: string, itemType: string): string {
  return `${prefix}${itemType.toLowerCase()}`;
}
