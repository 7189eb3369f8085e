import type { SignatureForm } from './sign-request.js';

/** How many requests a subscription may get: at one time, and in a second. */
export interface Limits {
  readonly maxConcurrency: number;
  readonly ratePerSecond: number;
}

export type RetryProfile = 'default' | 'long';

/** Where a delivery goes and how, as it is at the time of the claim. */
export interface Endpoint {
  readonly subscriptionId: string;
  readonly url: string;
  readonly customHeaders: Readonly<Record<string, string>>;
  readonly signatureForm: SignatureForm;
  readonly retryProfile: RetryProfile;
  /** Those that have not expired, newest first; none when the subscription was deleted in the meantime. */
  readonly sealedSecrets: readonly Buffer[];
  readonly limits: Limits;
}

/** A delivery leased to this process. Whoever does not hold the token can no longer change its state. */
export interface ClaimedDelivery {
  readonly id: string;
  readonly token: string;
  readonly tenantId: string;
  readonly attemptNo: number;
  readonly maxAttempts: number;
  readonly replayNo: number;
  readonly eventId: string;
  readonly eventType: string;
  readonly receivedAt: Date;
  /** How long after it had come due it was claimed. */
  readonly lagMs: number;
  readonly body: Buffer;
  readonly endpoint: Endpoint;
}

/** A subscription for which something is waiting, and how much of it is due, up to what was asked for. */
export interface DueSubscription {
  readonly subscriptionId: string;
  readonly due: number;
  readonly limits: Limits;
}

export interface DueRequest {
  /** Begins behind this subscription, so that each gets its turn however many there are. */
  readonly after: string;
  readonly maxSubscriptions: number;
  readonly maxPerSubscription: number;
  /** Subscriptions that would be refused now. */
  readonly held: readonly string[];
}

export interface DuePage {
  readonly subscriptions: readonly DueSubscription[];
  /** Where the next look begins. */
  readonly next: string;
}

export interface Lease {
  readonly token: string;
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

export interface SettledClaim {
  readonly claim: ClaimedDelivery;
  readonly settlement: Settlement;
}

export interface Deferral {
  readonly claim: ClaimedDelivery;
  readonly reason: string;
  readonly delayMs: number;
}

export interface DeliveryQueue {
  /** Finds what is due without touching it. */
  findDue(request: DueRequest): Promise<DuePage>;
  /** Leases so many due deliveries of each subscription, or fewer when another took them first. */
  claim(
    wanted: readonly { readonly subscriptionId: string; readonly count: number }[],
    lease: Lease,
  ): Promise<readonly ClaimedDelivery[]>;
  /**
   * Writes outcomes, in the order given. `late`: the lease had been taken away, so the attempt is on record but the state
   * is another's.
   */
  settle(settled: readonly SettledClaim[]): Promise<readonly ('recorded' | 'late')[]>;
  /** Gives claims and their attempts back. */
  defer(deferrals: readonly Deferral[]): Promise<void>;
  /** Takes back what senders did not report on in time, cancels what waits for ended subscriptions, and measures. */
  sweep(limit: number): Promise<SweepResult>;
}

export interface SweepResult {
  readonly expired: number;
  readonly cancelled: number;
  readonly overdueSeconds: number;
}

/** What one attempt says about its subscription. */
export interface AttemptReport {
  readonly subscriptionId: string;
  readonly kind: 'delivered' | 'retried' | 'failed';
  readonly durationMs: number;
  readonly statusCode?: number | undefined;
  readonly errorCode?: string | undefined;
  readonly errorDetail?: string | undefined;
}

export interface HealthDelta {
  readonly subscriptionId: string;
  readonly delivered: number;
  readonly retried: number;
  readonly failed: number;
  readonly durationBuckets: readonly number[];
  /** Whether its last attempt failed, and with what. */
  readonly lastFailure?: Pick<AttemptReport, 'statusCode' | 'errorCode' | 'errorDetail'> | undefined;
  readonly lastWasFailure: boolean;
}

export interface HealthStore {
  add(deltas: readonly HealthDelta[]): Promise<void>;
  /** Disables subscriptions that have only failed for so long, and tells of it; answers their ids. */
  disableFailing(afterMs: number, limit: number): Promise<readonly string[]>;
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
