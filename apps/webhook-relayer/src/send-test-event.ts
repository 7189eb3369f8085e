import type { Clock } from '@sluice/service-kit';
import type { Actor, SubscriptionStore, SubscriptionView, TestEvents } from './api-ports.js';

export interface TestEventParts {
  readonly subscriptions: Pick<SubscriptionStore, 'find'>;
  readonly testEvents: TestEvents;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly onDeliveries: () => void;
}

export type TestSent =
  | { readonly kind: 'sent'; readonly eventId: string; readonly deliveryId: string }
  | { readonly kind: 'not-found' }
  | { readonly kind: 'wrong-status'; readonly subscription: SubscriptionView };

export type SendTestEvent = (actor: Actor, subscriptionId: string) => Promise<TestSent>;

export const TEST_EVENT_TYPE = 'webhook.test';

/**
 * Sends an event to one subscription, whatever types it asks for, so that a customer can try its endpoint. It is signed and
 * delivered like any other, except that it is tried once.
 */
export function createSendTestEvent(parts: TestEventParts): SendTestEvent {
  return async (actor, subscriptionId) => {
    const occurredAt = parts.clock.now();
    const id = `evt_test_${parts.newId()}`;
    const body = {
      id,
      type: TEST_EVENT_TYPE,
      source: 'sluice',
      time: occurredAt.toISOString(),
      data: { subscriptionId },
    };
    const { type, source } = body;
    const bytes = Buffer.from(JSON.stringify(body));
    const event = { subscriptionId, id, type, source, occurredAt, body: bytes };
    const inserted = await parts.testEvents.insert(actor, event);
    if (inserted !== undefined) {
      parts.onDeliveries();
      return { kind: 'sent', eventId: id, deliveryId: inserted.deliveryId };
    }
    const subscription = await parts.subscriptions.find(actor.tenantId, subscriptionId);
    return subscription === undefined ? { kind: 'not-found' } : { kind: 'wrong-status', subscription };
  };
}
