import type { DueSubscription } from './delivery-ports.js';

export interface Places {
  /** How many more requests this instance may have in flight. */
  readonly free: number;
  /** Requests of each subscription that are in flight here. */
  readonly inFlight: ReadonlyMap<string, number>;
}

/**
 * How many places a subscription may hold while so many are free: half of what would be free without it. Slow endpoints
 * together then never take the last places; each further one gets half of what the others left.
 */
export function mostPlaces(free: number, held: number): number {
  return Math.max(1, Math.floor((free + held) / 2));
}

/** Shares the free places out evenly: each subscription gets its first before any gets its second. */
export function sharePlaces(
  due: readonly DueSubscription[],
  { free, inFlight }: Places,
): { readonly subscription: DueSubscription; readonly count: number }[] {
  const wishes = due.map((subscription) => {
    const held = inFlight.get(subscription.subscriptionId) ?? 0;
    const most = Math.min(mostPlaces(free, held), subscription.limits.maxConcurrency) - held;
    return { subscription, wish: Math.max(0, Math.min(subscription.due, most)), count: 0 };
  });
  let left = free;
  let round = wishes.filter(({ wish }) => wish > 0);
  while (left > 0 && round.length > 0) {
    const each = Math.max(1, Math.floor(left / round.length));
    for (const share of round) {
      const given = Math.min(each, share.wish - share.count, left);
      share.count += given;
      left -= given;
    }
    round = round.filter(({ wish, count }) => count < wish);
  }
  return wishes.filter(({ count }) => count > 0).map(({ subscription, count }) => ({ subscription, count }));
}
