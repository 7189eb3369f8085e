import type { Actor, DeliveryStore, DeliveryView, FailedSpan } from './api-ports.js';

export interface ReplayParts {
  readonly deliveries: Pick<DeliveryStore, 'find' | 'findFailed' | 'replay'>;
  readonly onDeliveries: () => void;
}

export type ReplayedOne =
  | { readonly kind: 'replayed'; readonly delivery: DeliveryView }
  | { readonly kind: 'not-found' }
  /** It is still being delivered. */
  | { readonly kind: 'not-finished'; readonly delivery: DeliveryView }
  /** Its subscription is disabled or deleted. */
  | { readonly kind: 'subscription-ended'; readonly delivery: DeliveryView };

export interface ReplaySpanRequest {
  readonly span: FailedSpan;
  readonly limit: number;
  /** Only says which, and changes nothing. */
  readonly dryRun: boolean;
  readonly reason: string | null;
}

export interface ReplayedSpan {
  /** How many were found, up to the limit. */
  readonly matched: number;
  /** Those begun anew, or with a dry run those that would be. */
  readonly deliveryIds: readonly string[];
  readonly replayed: number;
  /** There are more than the limit. */
  readonly more: boolean;
}

export interface ReplayDeliveries {
  /** Begins one finished delivery anew, whatever came of it. */
  one(actor: Actor, id: string, reason: string | null): Promise<ReplayedOne>;
  /** Begins failed deliveries of a span anew; what was delivered is left alone. */
  span(actor: Actor, request: ReplaySpanRequest): Promise<ReplayedSpan>;
}

/**
 * A replay is the same delivery once more: the same event under the same `webhook-id`, so that a receiver that has it
 * already can tell.
 */
export function createReplayDeliveries(parts: ReplayParts): ReplayDeliveries {
  const { deliveries } = parts;
  return {
    async one(actor, id, reason) {
      const replayed = await deliveries.replay(actor, { ids: [id], onlyFailed: false, reason });
      if (replayed.length > 0) parts.onDeliveries();
      const delivery = await deliveries.find(actor.tenantId, id);
      if (delivery === undefined) return { kind: 'not-found' };
      if (replayed.length > 0) return { kind: 'replayed', delivery };
      const isFinished = delivery.status !== 'pending' && delivery.status !== 'in_flight';
      return { kind: isFinished ? 'subscription-ended' : 'not-finished', delivery };
    },

    async span(actor, { span, limit, dryRun, reason }) {
      const found = await deliveries.findFailed(actor.tenantId, span, limit + 1);
      const ids = found.slice(0, limit);
      const more = found.length > limit;
      if (dryRun || ids.length === 0) return { matched: ids.length, deliveryIds: ids, replayed: 0, more };
      const replayed = await deliveries.replay(actor, { ids, onlyFailed: true, reason });
      if (replayed.length > 0) parts.onDeliveries();
      return { matched: ids.length, deliveryIds: replayed, replayed: replayed.length, more };
    },
  };
}
