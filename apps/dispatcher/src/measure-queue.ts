import type { DispatchQueue } from '@sluice/queue-core';
import { pollingWorker } from '@sluice/service-kit';
import type { Logger, Worker } from '@sluice/service-kit';
import type { DispatchMetrics } from './metrics.js';

const countCap = 100_000;

const measureEveryMs = 15_000;

export interface MeasureParts {
  readonly queue: Pick<DispatchQueue, 'listConfigs' | 'measureDepth'>;
  readonly metrics: DispatchMetrics;
}

/** Refreshes the gauges of the queue. */
export function gaugeWorker(parts: MeasureParts & { log: Logger }): Worker {
  const measure = createMeasureQueue(parts);
  return pollingWorker({
    name: 'queue-gauges',
    intervalMs: measureEveryMs,
    log: parts.log,
    step: (signal) => measure(signal).then(() => false),
  });
}

export function createMeasureQueue({ queue, metrics }: MeasureParts): (signal: AbortSignal) => Promise<void> {
  return async (signal) => {
    for (const { itemType, config } of await queue.listConfigs()) {
      if (signal.aborted) return;
      const depth = await queue.measureDepth(itemType, countCap);
      metrics.queueDepth.set({ item_type: itemType, status: 'READY' }, depth.ready);
      metrics.queueDepth.set({ item_type: itemType, status: 'CLAIMED' }, depth.claimed);
      metrics.queueDepth.set({ item_type: itemType, status: 'EXHAUSTED' }, depth.exhausted);
      metrics.oldestDueAge.set({ item_type: itemType }, depth.oldestDueSeconds);
      metrics.enabled.set({ item_type: itemType }, config.enabled ? 1 : 0);
    }
  };
}
