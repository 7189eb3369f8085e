import type { DispatchQueue } from '@sluice/queue-core';
import { pause, pollingWorker } from '@sluice/service-kit';
import type { Logger, Worker } from '@sluice/service-kit';
import type { DispatchMetrics } from './metrics.js';

export interface RetentionSettings {
  readonly finishedSeconds: number;
  readonly auditSeconds: number;
  readonly batchSize: number;
}

export interface RetentionParts {
  readonly queue: Pick<DispatchQueue, 'listConfigs' | 'purgeFinished' | 'pruneAudit'>;
  readonly metrics: Pick<DispatchMetrics, 'retentionRemoved'>;
  readonly settings: RetentionSettings;
}

const lookEveryMs = 60_000;

// A backlog of days goes at about five batches a second, so that dispatching never has to wait for it.
const restBetweenBatchesMs = 200;

/** Keeps the tables small. Several instances may do so at once: each takes rows that no other holds. */
export function retentionWorker(parts: RetentionParts & { log: Logger }): Worker {
  const retain = createRetainRows(parts);
  return pollingWorker({
    name: 'retention',
    intervalMs: lookEveryMs,
    log: parts.log,
    async step(signal) {
      const isMore = await retain(signal);
      if (isMore) await pause(restBetweenBatchesMs, signal);
      return isMore;
    },
  });
}

/** One small batch of each kind; true when a batch was full, so that there is probably more. */
export function createRetainRows({ queue, metrics, settings }: RetentionParts) {
  const { finishedSeconds, auditSeconds, batchSize } = settings;
  return async (signal: AbortSignal): Promise<boolean> => {
    let isMore = false;
    for (const { itemType } of await queue.listConfigs()) {
      if (signal.aborted) return false;
      const request = { itemType, minAgeSeconds: finishedSeconds, limit: batchSize };
      const { items, contexts } = await queue.purgeFinished(request);
      metrics.retentionRemoved.inc({ kind: 'item' }, items);
      metrics.retentionRemoved.inc({ kind: 'context' }, contexts);
      isMore ||= items === batchSize;
    }
    if (signal.aborted) return false;
    const { removed } = await queue.pruneAudit({ minAgeSeconds: auditSeconds, limit: batchSize });
    metrics.retentionRemoved.inc({ kind: 'audit' }, removed);
    return isMore || removed === batchSize;
  };
}
