import type { Closable, Logger, Worker } from '@sluice/service-kit';
import { pollingWorker } from '@sluice/service-kit';
import type { AttemptReport, HealthDelta, HealthStore } from './delivery-ports.js';

/** Upper bounds in milliseconds of the classes that durations are counted in; there is one more for all above. */
export const DURATION_BOUNDS = [50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000] as const;

export interface HealthTally {
  report(report: AttemptReport): void;
  readonly worker: Worker;
  /** Writes what has not been written yet. */
  readonly flush: Closable;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
type Sum = Mutable<Omit<HealthDelta, 'durationBuckets'>> & { durationBuckets: number[] };

/**
 * Adds up how subscriptions are doing and writes it once a second: a counter in the way of every delivery would be the one
 * row that all senders to a busy subscription wait for.
 */
export function createHealthTally(parts: {
  readonly store: Pick<HealthStore, 'add'>;
  readonly log: Logger;
}): HealthTally {
  let sums = new Map<string, Sum>();

  const write = async (): Promise<void> => {
    if (sums.size === 0) return;
    const written = sums;
    sums = new Map();
    try {
      await parts.store.add([...written.values()]);
    } catch (err) {
      // Kept for the next time, under what has come in since.
      sums = merge(written, sums);
      throw err;
    }
  };

  return {
    report(report) {
      const sum = sums.get(report.subscriptionId) ?? emptySum(report.subscriptionId);
      sums.set(report.subscriptionId, sum);
      add(sum, report);
    },
    worker: pollingWorker({
      name: 'subscription-health',
      intervalMs: 1_000,
      log: parts.log,
      step: async () => {
        await write();
        return false;
      },
    }),
    flush: { name: 'subscription health', close: write },
  };
}

function emptySum(subscriptionId: string): Sum {
  const durationBuckets = Array.from({ length: DURATION_BOUNDS.length + 1 }, () => 0);
  return { subscriptionId, delivered: 0, retried: 0, failed: 0, durationBuckets, lastWasFailure: false };
}

function add(sum: Sum, { kind, durationMs, statusCode, errorCode, errorDetail }: AttemptReport): void {
  sum[kind] += 1;
  const above = DURATION_BOUNDS.findIndex((bound) => durationMs <= bound);
  const bucket = above === -1 ? DURATION_BOUNDS.length : above;
  sum.durationBuckets[bucket] = (sum.durationBuckets[bucket] ?? 0) + 1;
  sum.lastWasFailure = kind !== 'delivered';
  if (sum.lastWasFailure) sum.lastFailure = { statusCode, errorCode, errorDetail };
}

function merge(older: Map<string, Sum>, newer: Map<string, Sum>): Map<string, Sum> {
  for (const [subscriptionId, sum] of newer) {
    const known = older.get(subscriptionId) ?? emptySum(subscriptionId);
    older.set(subscriptionId, {
      ...sum,
      delivered: known.delivered + sum.delivered,
      retried: known.retried + sum.retried,
      failed: known.failed + sum.failed,
      durationBuckets: sum.durationBuckets.map((count, at) => count + (known.durationBuckets[at] ?? 0)),
      lastFailure: sum.lastFailure ?? known.lastFailure,
    });
  }
  return older;
}
