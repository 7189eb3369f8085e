import { randomBytes } from 'node:crypto';
import { systemClock } from '@sluice/service-kit';
import type { Pool } from '@sluice/service-kit/pg';
import { uuidv7 } from 'uuidv7';
import { createDatabase } from './adapters/database.js';
import { createPgAdmissions } from './adapters/pg-admissions.js';
import { createPgDeliveryStore } from './adapters/pg-delivery-store.js';
import { createPgEventViews } from './adapters/pg-event-views.js';
import { createPgHealthViews } from './adapters/pg-health-views.js';
import { createPgSubscriptions } from './adapters/pg-subscriptions.js';
import { createPgTestEvents } from './adapters/pg-test-events.js';
import type { AddressPolicy } from './address-policy.js';
import { createChangeSubscription } from './change-subscription.js';
import { createCheckEndpoint } from './check-endpoint.js';
import type { Guards } from './guards.js';
import type { ApiParts } from './http/routes.js';
import type { AddressCheck, MessageSink } from './ports.js';
import { createPublish } from './publish-event.js';
import { createReadHealth } from './read-health.js';
import { createReplayDeliveries } from './replay-deliveries.js';
import { createRotateSecret } from './rotate-secret.js';
import type { SecretBox } from './secret-box.js';
import { createSendTestEvent } from './send-test-event.js';
import { createSubscribe } from './subscribe.js';

export interface UseCaseParts {
  readonly pool: Pool;
  readonly sink: MessageSink;
  readonly policy: AddressPolicy;
  readonly addresses: AddressCheck;
  readonly secrets: SecretBox;
  readonly guards: Pick<Guards, 'circuit'>;
  readonly topics: { readonly topic: string };
  /** Called when deliveries wait that did not wait before. */
  readonly onDeliveries: () => void;
  /** How long Kafka has to acknowledge an event. */
  readonly publishTimeLimitMs?: number;
}

/** Longer than a broker's leader takes to change, shorter than a caller waits. */
const PUBLISH_TIME_LIMIT_MS = 10_000;

/** What the API can do, on what the service is connected to. */
export function createUseCases(outside: UseCaseParts): ApiParts {
  const database = createDatabase(outside.pool);
  const subscriptions = createPgSubscriptions(database);
  const deliveries = createPgDeliveryStore(database);
  const parts = {
    ...outside,
    subscriptions,
    deliveries,
    randomBytes,
    clock: systemClock,
    newId: uuidv7,
    checkEndpoint: createCheckEndpoint(outside),
  };
  const { topic } = outside.topics;
  const timeLimitMs = outside.publishTimeLimitMs ?? PUBLISH_TIME_LIMIT_MS;
  const admissions = createPgAdmissions(database);
  return {
    clock: systemClock,
    subscriptions,
    deliveries,
    events: createPgEventViews(database),
    publish: createPublish({ ...parts, admissions, topic, timeLimitMs }),
    subscribe: createSubscribe(parts),
    change: createChangeSubscription(parts),
    rotateSecret: createRotateSecret(parts),
    sendTestEvent: createSendTestEvent({ ...parts, testEvents: createPgTestEvents(database) }),
    replay: createReplayDeliveries(parts),
    readHealth: createReadHealth({ ...parts, health: createPgHealthViews(database) }),
  };
}
