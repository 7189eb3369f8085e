import type { RetryProfile } from './delivery-ports.js';
import type { SignatureForm } from './sign-request.js';

/** Who asks: whose data it may reach, and the name that goes into the audit trail. */
export interface Actor {
  readonly tenantId: string;
  readonly by: string;
}

export type SubscriptionStatus = 'active' | 'paused' | 'disabled';

/** What a customer chooses. */
export interface SubscriptionSettings {
  readonly url: string;
  readonly eventTypes: readonly string[];
  readonly description: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly signatureForm: SignatureForm;
  readonly retryProfile: RetryProfile;
  /** Null: the limit that the service is configured with. */
  readonly rateLimitPerSecond: number | null;
  readonly maxConcurrency: number | null;
}

export interface SubscriptionView extends SubscriptionSettings {
  readonly id: string;
  readonly status: SubscriptionStatus;
  readonly statusReason: string | null;
  readonly statusSince: Date;
  /** Counts changes. */
  readonly version: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export interface SecretVersion {
  readonly version: number;
  readonly createdAt: Date;
  /** Null: valid until it is rotated. */
  readonly expiresAt: Date | null;
}

export interface NewSubscription extends SubscriptionSettings {
  readonly id: string;
  readonly sealedSecret: Buffer;
}

export interface StatusChange {
  readonly from: readonly SubscriptionStatus[];
  readonly to: 'active' | 'paused';
  readonly reason: string | null;
}

/** Every change is written together with who made it. A subscription of another tenant is as good as none. */
export interface SubscriptionStore {
  create(actor: Actor, subscription: NewSubscription): Promise<SubscriptionView>;
  find(tenantId: string, id: string): Promise<SubscriptionView | undefined>;
  list(
    tenantId: string,
    page: { readonly after: string; readonly limit: number },
  ): Promise<readonly SubscriptionView[]>;
  /** Undefined when it is not at this version any more. */
  update(
    actor: Actor,
    change: { readonly id: string; readonly version: number; readonly settings: SubscriptionSettings },
  ): Promise<SubscriptionView | undefined>;
  /** Undefined when its status is none of those to change from. */
  changeStatus(actor: Actor, id: string, change: StatusChange): Promise<SubscriptionView | undefined>;
  /** False when there is none. Its secrets are wiped, and what still waits for it is cancelled soon after. */
  remove(actor: Actor, id: string): Promise<boolean>;
  /** The secrets that are valid now, newest first. */
  secretVersions(subscriptionId: string): Promise<readonly SecretVersion[]>;
  /**
   * Adds a secret and lets the one before it expire after the overlap; any older one expires at once, so that never more than
   * two are valid. Undefined when there is no such subscription.
   */
  rotateSecret(
    actor: Actor,
    rotation: { readonly id: string; readonly sealedSecret: Buffer; readonly overlapSeconds: number },
  ): Promise<readonly SecretVersion[] | undefined>;
}

export type DeliveryStatus = 'pending' | 'in_flight' | 'delivered' | 'failed' | 'cancelled';

export interface DeliveryView {
  readonly id: string;
  readonly eventId: string;
  readonly eventType: string;
  readonly subscriptionId: string;
  readonly status: DeliveryStatus;
  readonly attempts: number;
  readonly maxAttempts: number;
  readonly deferrals: number;
  /** How often somebody asked for it again. */
  readonly replays: number;
  readonly replayedAt: Date | null;
  readonly nextAttemptAt: Date | null;
  readonly lastAttemptAt: Date | null;
  readonly lastStatusCode: number | null;
  readonly lastError: string | null;
  readonly createdAt: Date;
  readonly finishedAt: Date | null;
}

export interface EventView {
  readonly id: string;
  readonly type: string;
  readonly source: string;
  readonly occurredAt: Date;
  readonly receivedAt: Date;
  readonly body: Buffer;
  readonly deliveries: readonly DeliveryView[];
}

export interface AttemptView {
  readonly deliveryId: string;
  readonly subscriptionId: string;
  readonly attemptNo: number;
  /** Of which run: 0 is the first, 1 the first replay. */
  readonly replayNo: number;
  readonly outcome: string;
  readonly applied: boolean;
  readonly statusCode: number | null;
  readonly errorCode: string | null;
  readonly errorDetail: string | null;
  readonly responseBody: string | null;
  readonly durationMs: number | null;
  readonly recordedAt: Date;
}

export interface EventViews {
  find(tenantId: string, id: string): Promise<EventView | undefined>;
  /** Oldest first; undefined when there is no such event. */
  attempts(tenantId: string, id: string): Promise<readonly AttemptView[] | undefined>;
}

export interface NewTestEvent {
  readonly subscriptionId: string;
  readonly id: string;
  readonly type: string;
  readonly source: string;
  readonly occurredAt: Date;
  readonly body: Buffer;
}

export interface TestEvents {
  /** Stores an event for this subscription alone. Undefined when there is no such subscription, or it is not active. */
  insert(actor: Actor, event: NewTestEvent): Promise<{ readonly deliveryId: string } | undefined>;
}

/** A place in a list, to the microsecond, which a Date cannot hold. */
export interface DeliveryCursor {
  readonly at: string;
  readonly id: string;
}

export interface DeliveryFilter {
  readonly subscriptionId?: string | undefined;
  readonly eventId?: string | undefined;
  readonly eventType?: string | undefined;
  readonly status?: DeliveryStatus | undefined;
  readonly createdFrom: Date;
  readonly createdBefore?: Date | undefined;
}

export interface FailedSpan {
  readonly subscriptionId?: string | undefined;
  readonly eventType?: string | undefined;
  readonly createdFrom: Date;
  readonly createdBefore: Date;
}

export interface DeliveryStore {
  find(tenantId: string, id: string): Promise<DeliveryView | undefined>;
  /** Newest first. */
  list(
    tenantId: string,
    filter: DeliveryFilter,
    page: { readonly after?: DeliveryCursor | undefined; readonly limit: number },
  ): Promise<{ readonly deliveries: readonly DeliveryView[]; readonly next: DeliveryCursor | undefined }>;
  /** Ids of failed deliveries whose subscriptions can still get them, oldest first. */
  findFailed(tenantId: string, span: FailedSpan, limit: number): Promise<readonly string[]>;
  /**
   * Begins deliveries anew, with all their attempts; answers the ids of those it could. One that is not finished, or
   * whose subscription has ended, is left as it is.
   */
  replay(
    actor: Actor,
    request: {
      readonly ids: readonly string[];
      readonly onlyFailed: boolean;
      readonly reason: string | null;
    },
  ): Promise<readonly string[]>;
}

export interface Admission {
  readonly tenantId: string;
  readonly eventId: string;
  readonly sha256: Buffer;
  readonly occurredAt: Date;
}

export type Admitted =
  | { readonly kind: 'admitted' }
  /** It was handed in before, and may have come back from Kafka by now. */
  | {
      readonly kind: 'known';
      readonly sha256: Buffer;
      readonly occurredAt: Date;
      readonly isStored: boolean;
    }
  /** It came by another way than this API, and is stored. */
  | { readonly kind: 'stored'; readonly body: Buffer };

export interface EventAdmissions {
  admit(admission: Admission): Promise<Admitted>;
}

export interface SubscriptionHealth {
  readonly failingSince: Date | null;
  readonly lastSuccessAt: Date | null;
  readonly lastFailureAt: Date | null;
  readonly lastStatusCode: number | null;
  readonly lastErrorCode: string | null;
  readonly lastErrorDetail: string | null;
  readonly delivered: number;
  readonly retried: number;
  readonly failed: number;
  /** Attempts by how long they took, as the hours count them. */
  readonly durationBuckets: readonly number[];
}

export interface HealthViews {
  /** Adds up the whole hours that began at `since` or later; reads no attempt. */
  read(subscriptionId: string, since: Date): Promise<SubscriptionHealth>;
}
