import type { Admit } from './admission.js';
import type { ClaimedDelivery, DeliveryQueue } from './delivery-ports.js';
import type { Guards, Permit } from './guards.js';
import type { Holds } from './holds.js';
import type { Places } from './places.js';
import { mostPlaces, sharePlaces } from './share-places.js';

export interface ClaimDueParts {
  readonly queue: Pick<DeliveryQueue, 'findDue' | 'claim'>;
  readonly guards: Pick<Guards, 'settle'>;
  readonly admit: Admit;
  readonly begin: (claim: ClaimedDelivery, permit: Permit) => void;
  readonly places: Places;
  readonly holds: Holds;
  readonly leaseMs: number;
  readonly newToken: () => string;
}

export interface ClaimedTurn {
  /** There may be more to claim at once. */
  readonly more: boolean;
  /** More was due than there was room for. */
  readonly short: boolean;
}

/** Subscriptions looked at in one turn. */
const PAGE = 500;

/**
 * One turn of claiming: finds what is due, shares out the free places, asks the guards, and only then claims. A subscription
 * that is refused costs no write at all, however much waits for it.
 */
export function createClaimDue(parts: ClaimDueParts): () => Promise<ClaimedTurn> {
  const { queue, places, holds } = parts;
  let after = '';
  return async () => {
    const free = places.free();
    if (free === 0) return { more: false, short: true };
    const maxPerSubscription = mostPlaces(free, 0);
    const page = await queue.findDue({
      after,
      maxSubscriptions: PAGE,
      maxPerSubscription,
      held: holds.current(),
    });
    after = page.next;
    const shares = sharePlaces(page.subscriptions, { free, inFlight: places.inFlight });
    const taken = shares.reduce((sum, { count }) => sum + count, 0);
    const due = page.subscriptions.reduce((sum, subscription) => sum + subscription.due, 0);
    places.promise(taken);
    try {
      const begun = await claimFor(parts, await admitAll(parts.admit, shares));
      return { more: begun > 0 || after !== '', short: taken < due };
    } finally {
      places.redeem(taken);
    }
  };
}

async function admitAll(
  admit: Admit,
  shares: ReturnType<typeof sharePlaces>,
): Promise<Map<string, Permit[]>> {
  const admissions = await Promise.all(
    shares.map(async ({ subscription: { subscriptionId, limits }, count }) => {
      const { permits } = await admit({ subscriptionId, count, limits });
      return { subscriptionId, permits: [...permits] };
    }),
  );
  const granted = admissions.filter(({ permits }) => permits.length > 0);
  return new Map(granted.map(({ subscriptionId, permits }) => [subscriptionId, permits]));
}

/** Claims as many as there are permits, and gives back those for which another instance was quicker. */
async function claimFor(parts: ClaimDueParts, permits: ReadonlyMap<string, Permit[]>): Promise<number> {
  if (permits.size === 0) return 0;
  const wanted = [...permits].map(([subscriptionId, { length: count }]) => ({ subscriptionId, count }));
  try {
    const claims = await parts.queue.claim(wanted, { token: parts.newToken(), leaseMs: parts.leaseMs });
    for (const claim of claims) {
      const permit = permits.get(claim.endpoint.subscriptionId)?.pop();
      if (permit !== undefined) parts.begin(claim, permit);
    }
    return claims.length;
  } finally {
    const unused = [...permits.values()].flat();
    await Promise.all(unused.map((permit) => parts.guards.settle(permit, 'unused')));
  }
}
