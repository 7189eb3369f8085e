import type { WebhookEvent } from './event.js';

export type HeaderValue = Buffer | string | (Buffer | string)[] | undefined;
export type Headers = Readonly<Record<string, HeaderValue>>;

export interface OutgoingMessage {
  readonly topic: string;
  readonly key: Buffer | string | null;
  readonly value: Buffer | null;
  readonly headers: Headers;
}

export interface IncomingMessage extends OutgoingMessage {
  readonly key: Buffer | null;
  readonly partition: number;
  readonly offset: string;
}

export interface MessageSink {
  /** Resolves when all replicas that count have the messages; messages with one key keep their order. */
  send(messages: readonly OutgoingMessage[]): Promise<void>;
}

/** Handles messages of one partition, in order. When it throws, the same messages come again. */
export type MessageHandler = (
  messages: readonly IncomingMessage[],
  /** Keeps the membership in the group alive; to be called for each message. */
  heartbeat: () => Promise<void>,
) => Promise<void>;

export interface MessageSource {
  /** Hands over messages until the signal aborts. Throws when the source has stopped for good. */
  consume(handle: MessageHandler, signal: AbortSignal, beat: () => void): Promise<void>;
}

export interface ReceivedEvent extends WebhookEvent {
  readonly origin: { readonly topic: string; readonly partition: number; readonly offset: string };
}

/** `conflict`: another event is stored under this id. */
export type StoreOutcome = 'stored' | 'duplicate' | 'conflict';

export interface EventStore {
  /** Stores events and their deliveries in one transaction; answers in the order of the events. */
  store(events: readonly ReceivedEvent[]): Promise<{ outcomes: readonly StoreOutcome[]; deliveries: number }>;
  find(tenantId: string, id: string): Promise<EventView | undefined>;
  attempts(tenantId: string, id: string): Promise<readonly AttemptView[]>;
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

export type DeliveryStatus = 'pending' | 'in_flight' | 'delivered' | 'failed' | 'cancelled';

export interface DeliveryView {
  readonly id: string;
  readonly subscriptionId: string;
  readonly status: DeliveryStatus;
  readonly attempts: number;
  readonly deferrals: number;
  readonly nextAttemptAt: Date | null;
  readonly finishedAt: Date | null;
  readonly lastError: string | null;
}

export interface AttemptView {
  readonly deliveryId: string;
  readonly subscriptionId: string;
  readonly attemptNo: number;
  readonly outcome: string;
  readonly applied: boolean;
  readonly statusCode: number | null;
  readonly errorCode: string | null;
  readonly errorDetail: string | null;
  readonly responseBody: string | null;
  readonly durationMs: number | null;
  readonly recordedAt: Date;
}

export interface NewSubscription {
  readonly id: string;
  readonly tenantId: string;
  readonly url: string;
  readonly eventTypes: readonly string[];
  readonly sealedSecret: Buffer;
}

export interface SubscriptionView {
  readonly id: string;
  readonly url: string;
  readonly eventTypes: readonly string[];
  readonly status: 'active' | 'disabled';
  readonly endedReason: string | null;
  readonly endedAt: Date | null;
  readonly createdAt: Date;
}

export interface SubscriptionStore {
  create(subscription: NewSubscription): Promise<{ createdAt: Date }>;
  list(
    tenantId: string,
    page: { readonly after: string; readonly limit: number },
  ): Promise<SubscriptionView[]>;
  /** False when there is none. What still waits for it is cancelled soon after. */
  remove(tenantId: string, id: string): Promise<boolean>;
}

/** A delivery leased to this process. Whoever does not hold the token can no longer change its state. */
export interface ClaimedDelivery {
  readonly id: string;
  readonly token: string;
  readonly attemptNo: number;
  readonly maxAttempts: number;
  readonly eventId: string;
  readonly eventType: string;
  readonly receivedAt: Date;
  readonly subscriptionId: string;
  readonly url: string;
  /** Absent when the subscription was deleted in the meantime. */
  readonly sealedSecret: Buffer | undefined;
  readonly body: Buffer;
}

export interface ClaimRequest {
  readonly token: string;
  readonly limit: number;
  readonly limitPerSubscription: number;
  readonly leaseMs: number;
}

export interface AttemptRecord {
  readonly durationMs: number;
  readonly statusCode?: number | undefined;
  readonly errorCode?: string | undefined;
  readonly errorDetail?: string | undefined;
  readonly responseBody?: string | undefined;
}

export interface Settlement {
  readonly outcome: 'delivered' | 'retry' | 'failed' | 'exhausted' | 'gone' | 'interrupted';
  readonly status: 'delivered' | 'pending' | 'failed';
  readonly delayMs: number;
  readonly attemptsBack: 0 | 1;
  readonly record: AttemptRecord;
}

export interface DeliveryQueue {
  claim(request: ClaimRequest): Promise<readonly ClaimedDelivery[]>;
  /** `late`: the lease had been taken away, so the attempt is on record but the state is another's. */
  settle(claim: ClaimedDelivery, settlement: Settlement): Promise<'recorded' | 'late'>;
  /** Gives the claim and its attempt back. */
  defer(claim: ClaimedDelivery, reason: string, delayMs: number): Promise<void>;
  /** Takes back what senders did not report on in time, cancels what waits for ended subscriptions, and measures. */
  sweep(limit: number): Promise<SweepResult>;
}

export interface SweepResult {
  readonly expired: number;
  readonly cancelled: number;
  readonly overdueSeconds: number;
}

export type SendFailure = 'TIMEOUT' | 'DNS' | 'ADDRESS_REFUSED' | 'TLS' | 'CONNECTION';

export type SendResult =
  | {
      readonly kind: 'response';
      readonly status: number;
      readonly retryAfter?: string | undefined;
      /** The beginning of the answer, safe to store as text. */
      readonly body: string;
      /** What went wrong after the status had been read; it does not change what the status says. */
      readonly note?: string | undefined;
      readonly durationMs: number;
    }
  | {
      readonly kind: 'failure';
      readonly code: SendFailure;
      readonly detail: string;
      readonly durationMs: number;
    }
  /** Given up by us, because the service is stopping. */
  | { readonly kind: 'interrupted'; readonly durationMs: number };

export interface WebhookSender {
  send(
    request: { readonly url: string; readonly headers: Record<string, string>; readonly body: Buffer },
    signal: AbortSignal,
  ): Promise<SendResult>;
}

/** Tells whether a URL's host leads only to addresses that may be reached. */
export interface AddressCheck {
  check(url: URL): Promise<'permitted' | 'refused' | 'unresolved'>;
}

export interface Permit {
  release(): Promise<void>;
}

export interface ConcurrencyLimit {
  /** Undefined when the subscription has as many requests in flight as it may have. */
  acquire(subscriptionId: string): Promise<Permit | undefined>;
}
