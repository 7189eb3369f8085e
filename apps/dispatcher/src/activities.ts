import { Context } from '@temporalio/activity';
import type { DispatchQueue } from '@sluice/queue-core';
import type { Clock } from '@sluice/service-kit';
import type { CycleCounts } from './cycle-counts.js';
import type { DispatchBatch } from './dispatch-batch.js';
import type { DispatchMetrics } from './metrics.js';

/** What a cycle's workflow needs to know of the config; the cycle itself reads it again at every step. */
export interface CycleSettings {
  readonly enabled: boolean;
  readonly dispatchIntervalSecs: number;
}

export interface DispatcherActivities {
  /** `plannedAt` is the time of the tick, or null for a cycle that no Schedule began. */
  readDispatchConfig(itemType: string, plannedAt: string | null): Promise<CycleSettings | null>;
  dispatchBatch(itemType: string, cycleId: string): Promise<CycleCounts>;
  recordResults(itemType: string, cycleId: string, counts: CycleCounts): Promise<void>;
}

export function createDispatcherActivities(parts: {
  queue: Pick<DispatchQueue, 'readConfig' | 'recordCycle'>;
  dispatchBatch: DispatchBatch;
  metrics: Pick<DispatchMetrics, 'scheduleLag' | 'lastCycle'>;
  clock: Clock;
}): DispatcherActivities {
  return {
    async readDispatchConfig(itemType, plannedAt) {
      const nowMs = parts.clock.now().getTime();
      const lagMs = plannedAt === null ? 0 : nowMs - Date.parse(plannedAt);
      const row = await parts.queue.readConfig(itemType);
      if (!row) return null;
      // The clocks of Temporal and of this machine may differ by a little.
      parts.metrics.scheduleLag.set({ item_type: itemType }, Math.max(0, lagMs) / 1000);
      parts.metrics.lastCycle.set({ item_type: itemType }, nowMs / 1000);
      return { enabled: row.config.enabled, dispatchIntervalSecs: row.config.dispatchIntervalSecs };
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
