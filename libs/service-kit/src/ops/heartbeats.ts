import type { KitMetrics } from '../metrics.js';

export interface Heartbeat {
  readonly worker: string;
  readonly sinceBeatMs: number;
  readonly maxBeatMs: number;
  readonly ok: boolean;
}

/** When each worker last made progress, by a clock that nobody sets back. */
export interface Heartbeats {
  watch(worker: string, maxBeatMs: number): () => void;
  read(): readonly Heartbeat[];
}

export function createHeartbeats(
  metrics: KitMetrics,
  now: () => number = () => performance.now(),
): Heartbeats {
  const beats = new Map<string, { at: number; readonly maxBeatMs: number }>();
  return {
    watch(worker, maxBeatMs) {
      const record = { at: now(), maxBeatMs };
      beats.set(worker, record);
      metrics.workerMaxBeat.set({ worker }, maxBeatMs / 1000);
      return () => {
        record.at = now();
      };
    },
    read() {
      return [...beats].map(([worker, { at, maxBeatMs }]) => {
        const sinceBeatMs = Math.round(now() - at);
        metrics.workerLastBeat.set({ worker }, sinceBeatMs / 1000);
        return { worker, sinceBeatMs, maxBeatMs, ok: sinceBeatMs <= maxBeatMs };
      });
    },
  };
}
