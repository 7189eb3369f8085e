import type { Worker } from '@sluice/service-kit';
import { gaugeWorker } from './measure-queue.js';
import type { MeasureParts } from './measure-queue.js';
import { scheduleWorker } from './reconcile-schedules.js';
import type { ReconcileParts } from './reconcile-schedules.js';
import { retentionWorker } from './retain-rows.js';
import type { RetentionParts } from './retain-rows.js';

type Parts = ReconcileParts & MeasureParts & Pick<RetentionParts, 'queue'>;

/** What runs beside the dispatching itself: Schedules, gauges, and retention unless it is switched off. */
export function standingWorkers(
  parts: Parts,
  config: {
    readonly SLUICE_RETENTION: boolean;
    readonly SLUICE_RETENTION_FINISHED_HOURS: number;
    readonly SLUICE_RETENTION_AUDIT_DAYS: number;
    readonly SLUICE_RETENTION_BATCH_SIZE: number;
  },
): readonly Worker[] {
  const always = [scheduleWorker(parts), gaugeWorker(parts)];
  if (!config.SLUICE_RETENTION) return always;
  const settings = {
    finishedSeconds: config.SLUICE_RETENTION_FINISHED_HOURS * 3_600,
    auditSeconds: config.SLUICE_RETENTION_AUDIT_DAYS * 86_400,
    batchSize: config.SLUICE_RETENTION_BATCH_SIZE,
  };
  return [...always, retentionWorker({ ...parts, settings })];
}
