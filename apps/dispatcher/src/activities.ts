import { Context } from '@temporalio/activity';
import type { DispatchQueue } from '@sluice/queue-core';
import type { CycleCounts } from './cycle-counts.js';
import type { DispatchBatch } from './dispatch-batch.js';

/** What a cycle's workflow needs to know of the config; the cycle itself reads it again at every step. */
export interface CycleSettings {
  readonly enabled: boolean;
  readonly dispatchIntervalSecs: number;
}

export interface DispatcherActivities {
  readDispatchConfig(itemType: string): Promise<CycleSettings | null>;
  dispatchBatch(itemType: string, cycleId: string): Promise<CycleCounts>;
  recordResults(itemType: string, cycleId: string, counts: CycleCounts): Promise<void>;
}

export function createDispatcherActivities(parts: {
  queue: Pick<DispatchQueue, 'readConfig' | 'recordCycle'>;
  dispatchBatch: DispatchBatch;
}): DispatcherActivities {
  return {
    async readDispatchConfig(itemType) {
      const row = await parts.queue.readConfig(itemType);
      return row
        ? { enabled: row.config.enabled, dispatchIntervalSecs: row.config.dispatchIntervalSecs }
        : null;
    },
    async dispatchBatch(itemType, cycleId) {
      const context = Context.current();
      return parts.dispatchBatch({
        itemType,
        cycleId,
        signal: context.cancellationSignal,
        onProgress: () => context.heartbeat(),
      });
    },
    async recordResults(itemType, cycleId, counts) {
      await parts.queue.recordCycle({ itemType, batchId: cycleId, detail: JSON.stringify(counts) });
    },
  };
}
