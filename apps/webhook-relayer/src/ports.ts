import type { ClaimedDelivery, Lease } from './delivery-ports.js';
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

/** Room for first attempts that begin as soon as their events are stored. */
export interface HandOver extends Lease {
  readonly room: number;
  readonly maxPerSubscription: number;
  /** Subscriptions that would be refused now; their deliveries wait. */
  readonly held: readonly string[];
}

export interface StoredEvents {
  readonly outcomes: readonly StoreOutcome[];
  /** Leased to this process at their birth. */
  readonly claims: readonly ClaimedDelivery[];
  /** Deliveries that wait to be claimed. */
  readonly waiting: number;
}

export interface EventStore {
  /** Stores events and their deliveries in one transaction; answers in the order of the events. */
  store(events: readonly ReceivedEvent[], handOver: HandOver): Promise<StoredEvents>;
}

/** Tells whether a URL's host leads only to addresses that may be reached. */
export interface AddressCheck {
  check(url: URL): Promise<'permitted' | 'refused' | 'unresolved'>;
}
