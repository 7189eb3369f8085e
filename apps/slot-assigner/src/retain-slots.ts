import { pause, pollingWorker } from '@sluice/service-kit';
import type { Logger, Worker } from '@sluice/service-kit';
import type { RateConfigStore, SlotStore } from './ports.js';

export interface RetentionParts {
  readonly configs: Pick<RateConfigStore, 'listActive'>;
  readonly slots: Pick<SlotStore, 'prune'>;
  readonly settings: { readonly minAgeMs: number; readonly batchSize: number };
  readonly onRemoved: (kind: 'slot' | 'window', count: number) => void;
}

const lookEveryMs = 60_000;

// A backlog of days goes at about five batches a second, so that assignments never have to wait for it.
const restBetweenBatchesMs = 200;

/** Keeps the tables small. Several instances may do so at once. */
export function retentionWorker(parts: RetentionParts & { readonly log: Logger }): Worker {
  const retain = createRetainSlots(parts);
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

/** One small batch of each rate limit; true when there is more. */
export function createRetainSlots({ configs, slots, settings, onRemoved }: RetentionParts) {
  return async (signal: AbortSignal): Promise<boolean> => {
    let isMore = false;
    for (const { configName } of await configs.listActive()) {
      if (signal.aborted) return false;
      const { minAgeMs, batchSize: limit } = settings;
      const removed = await slots.prune({ configName, minAgeMs, limit });
      onRemoved('slot', removed.slots);
      onRemoved('window', removed.windows);
      isMore ||= removed.more;
    }
    return isMore;
  };
}
