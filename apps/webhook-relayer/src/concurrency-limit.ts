import type { Logger } from '@sluice/service-kit';
import type { ConcurrencyLimit } from './ports.js';

/** Counts in this process only. */
export function createLocalLimit(limit: number): ConcurrencyLimit {
  const inFlight = new Map<string, number>();
  const change = (subscriptionId: string, by: number): void => {
    const count = (inFlight.get(subscriptionId) ?? 0) + by;
    if (count > 0) inFlight.set(subscriptionId, count);
    else inFlight.delete(subscriptionId);
  };
  return {
    acquire(subscriptionId) {
      if ((inFlight.get(subscriptionId) ?? 0) >= limit) return Promise.resolve(undefined);
      change(subscriptionId, 1);
      const release = (): Promise<void> => {
        change(subscriptionId, -1);
        return Promise.resolve();
      };
      return Promise.resolve({ release });
    },
  };
}

/** The part of a common limit that one of several instances may use when they cannot count together. */
export function shareOf(limit: number, instances: number): number {
  return Math.max(1, Math.floor(limit / instances));
}

export interface FallbackOptions {
  readonly shared: ConcurrencyLimit;
  readonly local: ConcurrencyLimit;
  readonly log: Logger;
  /** Told of every change, with true when the fallback is in use. */
  readonly onChange: (degraded: boolean) => void;
}

/** Failure policy: while the shared limit cannot be asked, deliveries go on under the local one, loudly. */
export function withLocalFallback({ shared, local, log, onChange }: FallbackOptions): ConcurrencyLimit {
  let degraded = false;
  const note = (now: boolean, err?: unknown): void => {
    if (now === degraded) return;
    degraded = now;
    onChange(now);
    if (now) log.error({ err }, 'Redis is away: concurrency is limited by this instance alone');
    else log.warn('Redis is back: concurrency is limited over all instances again');
  };
  return {
    async acquire(subscriptionId) {
      try {
        const permit = await shared.acquire(subscriptionId);
        note(false);
        return permit;
      } catch (err) {
        note(true, err);
        return local.acquire(subscriptionId);
      }
    },
  };
}
