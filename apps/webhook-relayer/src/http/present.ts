import type { z } from 'zod';
import type { AttemptView, DeliveryView, EventView, SecretVersion, SubscriptionView } from '../api-ports.js';
import type { HealthReport } from '../read-health.js';
import type {
  attemptsAnswer,
  deliveryAnswer,
  eventAnswer,
  healthAnswer,
  oneSubscriptionAnswer,
  subscriptionAnswer,
} from './answers.js';

// What the API shows; the shapes inside may change without it.

const instant = (time: Date | null): string | null => time?.toISOString() ?? null;

export function presentEvent(event: EventView): z.infer<typeof eventAnswer> {
  return {
    id: event.id,
    type: event.type,
    source: event.source,
    time: event.occurredAt.toISOString(),
    receivedAt: event.receivedAt.toISOString(),
    status: statusOf(event.deliveries),
    // As text: parsed and written anew, its numbers could change.
    body: event.body.toString('utf8'),
    deliveries: event.deliveries.map(presentDelivery),
  };
}

/** An event that nobody subscribed to has reached everyone. */
function statusOf(deliveries: readonly DeliveryView[]): 'pending' | 'failed' | 'delivered' {
  if (deliveries.some(({ status }) => status === 'pending' || status === 'in_flight')) return 'pending';
  return deliveries.some(({ status }) => status === 'failed') ? 'failed' : 'delivered';
}

export function presentDelivery(delivery: DeliveryView): z.infer<typeof deliveryAnswer> {
  return {
    ...delivery,
    replayedAt: instant(delivery.replayedAt),
    nextAttemptAt: instant(delivery.nextAttemptAt),
    lastAttemptAt: instant(delivery.lastAttemptAt),
    createdAt: delivery.createdAt.toISOString(),
    finishedAt: instant(delivery.finishedAt),
  };
}

export function presentAttempt(attempt: AttemptView): z.infer<typeof attemptsAnswer>['attempts'][number] {
  return { ...attempt, recordedAt: attempt.recordedAt.toISOString() };
}

/** Without the values of its headers: a token among them is a secret of the customer. */
export function presentSubscription(view: SubscriptionView): z.infer<typeof subscriptionAnswer> {
  const { headers, ...shown } = view;
  return {
    ...shown,
    eventTypes: [...view.eventTypes],
    headerNames: Object.keys(headers),
    statusSince: view.statusSince.toISOString(),
    createdAt: view.createdAt.toISOString(),
    updatedAt: view.updatedAt.toISOString(),
  };
}

export function presentSecrets(
  versions: readonly SecretVersion[],
): z.infer<typeof oneSubscriptionAnswer>['secrets'] {
  return versions.map(({ version, createdAt, expiresAt }) => ({
    version,
    createdAt: createdAt.toISOString(),
    expiresAt: instant(expiresAt),
  }));
}

export function presentHealth(report: HealthReport): z.infer<typeof healthAnswer> {
  return {
    subscriptionId: report.subscription.id,
    status: report.subscription.status,
    since: report.since.toISOString(),
    attempts: { delivered: report.delivered, retried: report.retried, failed: report.failed },
    successRate: report.successRate,
    p95Ms: report.p95Ms,
    circuit: { state: report.circuit.state, retryAfterMs: Math.round(report.circuit.retryAfterMs) },
    failingSince: instant(report.failingSince),
    lastSuccessAt: instant(report.lastSuccessAt),
    lastError:
      report.lastFailureAt === null
        ? null
        : {
            at: report.lastFailureAt.toISOString(),
            statusCode: report.lastStatusCode,
            code: report.lastErrorCode,
            detail: report.lastErrorDetail,
          },
  };
}
