import type { Worker } from '@sluice/service-kit';
import { gaugeWorker } from './measure-load.js';
import type { MeasureParts } from './measure-load.js';
import { retentionWorker } from './retain-slots.js';
import type { RetentionParts } from './retain-slots.js';

type Parts = Parameters<typeof gaugeWorker>[0] &
  MeasureParts &
  Pick<RetentionParts, 'configs' | 'slots' | 'onRemoved'>;

/** What runs beside the assigning itself: gauges, and retention unless it is switched off. */
export function standingWorkers(
  parts: Parts,
  config: {
    readonly SLUICE_RETENTION: boolean;
    readonly SLUICE_RETENTION_HOURS: number;
    readonly SLUICE_RETENTION_BATCH_SIZE: number;
  },
): readonly Worker[] {
  const gauges = gaugeWorker(parts);
  if (!config.SLUICE_RETENTION) return [gauges];
  const settings = {
    minAgeMs: config.SLUICE_RETENTION_HOURS * 3_600_000,
    batchSize: config.SLUICE_RETENTION_BATCH_SIZE,
  };
  return [gauges, retentionWorker({ ...parts, settings })];
}
