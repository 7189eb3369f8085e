import type { OutboxEntry } from '@sluice/outbox';

export interface DisabledSubscription {
  readonly subscriptionId: string;
  readonly tenantId: string;
  readonly url: string;
  /** Of the subscription once it is disabled: a later time that it is disabled is another event. */
  readonly version: number;
  readonly reason: 'GONE' | 'FAILING';
  readonly at: Date;
}

/**
 * Tells the other subscriptions of a tenant that one of them is no longer served: an endpoint that was disabled in silence
 * stays dead after its fault is mended. Subscribe an endpoint of another host to `webhook.subscription.disabled`.
 */
export function subscriptionDisabledEvent(disabled: DisabledSubscription): OutboxEntry {
  const { subscriptionId, tenantId, url, version, reason, at } = disabled;
  const id = `evt-${subscriptionId}-disabled-${version}`;
  return {
    instructionId: id,
    participantId: `event:${subscriptionId}`,
    idempotencyKey: id,
    railType: 'EVENT',
    payload: {
      id,
      type: 'webhook.subscription.disabled',
      source: 'sluice',
      time: at.toISOString(),
      tenantId,
      data: { subscriptionId, host: new URL(url).host, reason, disabledAt: at.toISOString() },
    },
  };
}
