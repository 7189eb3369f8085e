import type { Logger } from '@sluice/service-kit';
import type { Admit } from './admission.js';
import type { ClaimedDelivery, DeliveryQueue } from './delivery-ports.js';
import type { Permit } from './guards.js';
import type { Holds } from './holds.js';
import type { Metrics } from './metrics.js';
import type { Places } from './places.js';
import type { HandOver, StoredEvents } from './ports.js';
import { mostPlaces } from './share-places.js';

export interface FirstAttempts {
  /** Room for so many first attempts or fewer; it must be followed by `accept` with what came of it. */
  offer(wanted: number): Promise<HandOver>;
  /** Begins with deliveries that were leased to this process at their birth. */
  accept(offer: HandOver, stored: Pick<StoredEvents, 'claims' | 'waiting'>): void;
}

export interface FirstAttemptsParts {
  readonly admit: Admit;
  readonly begin: (claim: ClaimedDelivery, permit: Permit) => void;
  readonly queue: Pick<DeliveryQueue, 'defer'>;
  readonly places: Places;
  readonly holds: Holds;
  readonly leaseMs: number;
  readonly isStopping: () => boolean;
  readonly newToken: () => string;
  readonly random: () => number;
  readonly metrics: Pick<Metrics, 'deferrals'>;
  readonly log: Logger;
}

/** First attempts taken from one batch of events. */
const MOST_AT_ONCE = 256;
/**
 * Under a flood the intake waits a moment for room: a delivery that is leased at its birth costs a third less writing than one
 * that has to be claimed. No longer, since events must be stored however slow the endpoints are.
 */
const ROOM_WAIT_MS = 50;

/** Deliveries that begin the moment their event is stored, without waiting to be claimed. */
export function createFirstAttempts(parts: FirstAttemptsParts): FirstAttempts {
  const { places, holds, log } = parts;
  return {
    async offer(wanted) {
      if (!parts.isStopping()) await places.roomForFirst(Math.min(wanted, MOST_AT_ONCE), ROOM_WAIT_MS);
      const room = parts.isStopping() ? 0 : Math.min(MOST_AT_ONCE, places.freeForFirst());
      places.promise(room);
      const { leaseMs, newToken } = parts;
      const maxPerSubscription = mostPlaces(room, 0);
      return { token: newToken(), leaseMs, room, maxPerSubscription, held: holds.current() };
    },

    accept({ room }, { claims }) {
      places.redeem(room - claims.length);
      const groups = Map.groupBy(claims, ({ endpoint }) => endpoint.subscriptionId);
      for (const group of groups.values()) {
        beginAdmitted(parts, group)
          .catch((err: unknown) => {
            log.error(
              { err, deliveries: group.length },
              'deliveries could not begin; their leases will expire',
            );
          })
          .finally(() => places.redeem(group.length));
      }
    },
  };
}

/** What is refused goes back to wait; that costs no attempt. */
async function beginAdmitted(parts: FirstAttemptsParts, claims: readonly ClaimedDelivery[]): Promise<void> {
  const [first] = claims;
  if (first === undefined) return;
  const { subscriptionId, limits } = first.endpoint;
  const { permits, refusal } = await parts.admit({ subscriptionId, count: claims.length, limits });
  claims.slice(0, permits.length).forEach((claim, at) => {
    const permit = permits[at];
    if (permit !== undefined) parts.begin(claim, permit);
  });
  const deferrals = claims.slice(permits.length).map((claim) => {
    const { reason, retryAfterMs } = refusal ?? { reason: 'CONCURRENCY', retryAfterMs: 0 };
    parts.metrics.deferrals.inc({ reason });
    // Spread, so that deliveries put off together do not come back together.
    return { claim, reason, delayMs: Math.round(retryAfterMs * (1 + parts.random())) };
  });
  if (deferrals.length > 0) await parts.queue.defer(deferrals);
}
