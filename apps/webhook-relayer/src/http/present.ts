import type { AttemptView, DeliveryView, EventView, SubscriptionView } from '../ports.js';

/** What the API shows; the shapes inside may change without it. */
export function presentEvent(event: EventView) {
  return {
    id: event.id,
    type: event.type,
    source: event.source,
    time: event.occurredAt.toISOString(),
    receivedAt: event.receivedAt.toISOString(),
    status: statusOf(event.deliveries),
    // As text: parsed and written anew, its numbers could change.
    body: event.body.toString('utf8'),
    deliveries: event.deliveries.map((delivery) => ({
      id: delivery.id,
      subscriptionId: delivery.subscriptionId,
      status: delivery.status,
      attempts: delivery.attempts,
      deferrals: delivery.deferrals,
      nextAttemptAt: delivery.nextAttemptAt?.toISOString() ?? null,
      finishedAt: delivery.finishedAt?.toISOString() ?? null,
      lastError: delivery.lastError,
    })),
  };
}

/** An event that nobody subscribed to has reached everyone. */
function statusOf(deliveries: readonly DeliveryView[]): 'pending' | 'failed' | 'delivered' {
  if (deliveries.some(({ status }) => status === 'pending' || status === 'in_flight')) return 'pending';
  return deliveries.some(({ status }) => status === 'failed') ? 'failed' : 'delivered';
}

export function presentAttempt(attempt: AttemptView) {
  return { ...attempt, recordedAt: attempt.recordedAt.toISOString() };
}

export function presentSubscription(subscription: SubscriptionView) {
  return {
    id: subscription.id,
    url: subscription.url,
    eventTypes: subscription.eventTypes,
    status: subscription.status,
    disabledReason: subscription.endedReason,
    disabledAt: subscription.endedAt?.toISOString() ?? null,
    createdAt: subscription.createdAt.toISOString(),
  };
}
