import type { Refusal, RefusalReason } from './guards.js';

interface Hold {
  readonly reason: RefusalReason;
  readonly until: number;
}

/** Subscriptions that were refused and are not asked for again before it can make a difference. */
export interface Holds {
  hold(subscriptionId: string, refusal: Refusal): void;
  /** A place of the subscription is free again; true when it was waited for. */
  placeFreed(subscriptionId: string): boolean;
  current(): string[];
  /** Milliseconds until the next hold ends, or undefined when there is none. */
  nextEndMs(): number | undefined;
  count(reason: RefusalReason): number;
}

/** `now`: milliseconds of a clock that never goes back. */
export function createHolds(now: () => number): Holds {
  const holds = new Map<string, Hold>();
  const dropEnded = (): void => {
    const at = now();
    for (const [subscriptionId, { until }] of holds) if (until <= at) holds.delete(subscriptionId);
  };
  return {
    hold(subscriptionId, { reason, retryAfterMs }) {
      holds.set(subscriptionId, { reason, until: now() + retryAfterMs });
    },
    placeFreed(subscriptionId) {
      return holds.get(subscriptionId)?.reason === 'CONCURRENCY' && holds.delete(subscriptionId);
    },
    current() {
      dropEnded();
      return [...holds.keys()];
    },
    nextEndMs() {
      dropEnded();
      if (holds.size === 0) return undefined;
      const ends = [...holds.values()].map(({ until }) => until);
      return Math.max(1, Math.min(...ends) - now());
    },
    count(reason) {
      dropEnded();
      return [...holds.values()].filter((hold) => hold.reason === reason).length;
    },
  };
}
