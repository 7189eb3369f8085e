import type { OutboxEntry } from '@sluice/outbox';
import type {
  Admission,
  EnrichedPayment,
  InsertOutcome,
  Limit,
  ParticipantId,
  Payment,
  PaymentId,
  PaymentRequest,
  PaymentStamp,
  PaymentStatus,
  Reason,
  RejectedPayment,
  ScheduledPayment,
  StatusChange,
  StoredLimit,
  Transition,
  TransitionOutcome,
} from '@sluice/payments';
import type { EnqueueOutcome, NewItem, OrderOutcome } from '@sluice/queue-core';
import type { Intake } from './phase-a.js';

/** Where one payment came from. */
export interface Origin {
  readonly intake: Intake;
  /** The caller's key, or the place of the message. */
  readonly sentBy: string;
}

/** The first request under an id. Whatever else comes under that id is compared with it. */
export interface Receipt extends Origin {
  readonly paymentId: PaymentId;
  readonly fingerprint: string;
  readonly initWorkflowId: string;
  readonly traceparent: string | null;
  readonly receivedAt: Date;
}

/**
 * new: nobody had the id before. received: a receipt is there, and no row yet; whether Phase A was started is not known.
 * stored: the payment has its row. `fingerprint` is that of the request which has the id.
 */
export interface ReceiptClaim {
  readonly kind: 'new' | 'received' | 'stored';
  readonly fingerprint: string;
}

export interface Receipts {
  /** One answer a receipt, in the same order; no id may come twice. Nothing that stands is changed. */
  claim(receipts: readonly Omit<Receipt, 'receivedAt'>[]): Promise<ReceiptClaim[]>;
  find(paymentIds: readonly PaymentId[]): Promise<Receipt[]>;
}

/** Keys that callers give to their requests. */
export interface RequestKeys {
  /** new: never seen. same: seen with this content. other: seen with another content. */
  claim(key: { callerId: string; key: string; fingerprint: string }): Promise<'new' | 'same' | 'other'>;
}

/** What the intake keeps only for a time. Each call removes one small batch and tells how much it was. */
export interface Retention {
  prune(olderThan: Date, atMost: number): Promise<number>;
}

export interface PaymentFilter {
  readonly status?: string | undefined;
  readonly participantId?: string | undefined;
  readonly rail?: string | undefined;
  readonly createdFrom?: Date | undefined;
  readonly createdBefore?: Date | undefined;
}

/** Where a page ended; `at` is an ISO instant to the microsecond. */
export interface PageCursor {
  readonly at: string;
  readonly paymentId: string;
}

export interface PaymentPage {
  readonly payments: readonly Payment[];
  readonly next: PageCursor | null;
}

/** What readers see of payments. */
export interface PaymentViews {
  find(paymentId: PaymentId): Promise<Payment | undefined>;
  listStatusChanges(paymentId: PaymentId): Promise<StatusChange[]>;
  listFlags(paymentId: PaymentId): Promise<Reason[]>;
  /** Newest first. */
  list(filter: PaymentFilter, page: { after: PageCursor | undefined; limit: number }): Promise<PaymentPage>;
}

/** What Phase A reads and judges by. */
export interface Assessment {
  findStamps(paymentIds: readonly PaymentId[]): Promise<PaymentStamp[]>;
  /** The rules that remember, over all payments at once, in one transaction. */
  admit(payments: readonly EnrichedPayment[]): Promise<Admission[]>;
}

/** One transaction over everything that Phase A writes. */
export interface SchedulingTransaction {
  insertScheduled(payments: readonly ScheduledPayment[]): Promise<InsertOutcome[]>;
  insertRejected(payments: readonly RejectedPayment[]): Promise<InsertOutcome[]>;
  findStamps(paymentIds: readonly PaymentId[]): Promise<PaymentStamp[]>;
  /** Gives back what the limits had kept for these payments. */
  releaseLimits(paymentIds: readonly PaymentId[]): Promise<void>;
  announce(entries: readonly OutboxEntry[]): Promise<void>;
}

export interface Scheduling {
  /**
   * Does the work, and enqueues the items that it answers with: in the same transaction where payments and queue share
   * a database, else right after the commit.
   */
  schedule(
    work: (transaction: SchedulingTransaction) => Promise<readonly NewItem[]>,
  ): Promise<readonly EnqueueOutcome[]>;
}

/** One transaction over a payment that is taken back. */
export interface CancellationTransaction {
  find(paymentId: PaymentId): Promise<Payment | undefined>;
  transition(change: Transition): Promise<TransitionOutcome>;
  releaseLimits(paymentIds: readonly PaymentId[]): Promise<void>;
  announce(entries: readonly OutboxEntry[]): Promise<void>;
}

export interface Cancellations {
  /**
   * Takes the payment out of the queue and then does the work: in one transaction where they share a database. Else the
   * queue is first, since what it has let go of can never start, and the work can be done again.
   */
  cancel<T>(
    order: { paymentId: PaymentId; reason: string; by: string },
    work: (transaction: CancellationTransaction, queue: OrderOutcome) => Promise<T>,
  ): Promise<T>;
}

/**
 * started: the payments are in Temporal's hands and will not be lost. exists: they were before.
 * unavailable: Temporal did not say; the start may have happened all the same, so the producer sends again.
 */
export type StartOutcome =
  { readonly kind: 'started' | 'exists' } | { readonly kind: 'unavailable'; readonly cause: unknown };

export type RunOutcome =
  | { readonly kind: 'found'; readonly startedAt: Date }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'unavailable'; readonly cause: unknown };

/** Runs of PaymentInitWorkflow. Every call has a deadline. */
export interface InitWorkflows {
  start(run: {
    workflowId: string;
    requests: readonly PaymentRequest[];
    traceparent?: string | undefined;
  }): Promise<StartOutcome>;
  find(workflowId: string): Promise<RunOutcome>;
}

export interface SlotWish {
  readonly paymentId: PaymentId;
  /** ISO instant. */
  readonly requestedTime: string;
}

export type SlotAnswer =
  | { readonly kind: 'assigned'; readonly paymentId: PaymentId; readonly scheduledTime: string }
  | { readonly kind: 'refused'; readonly paymentId: PaymentId; readonly reason: Reason };

/** Gives each payment its time. The same payment gets the same slot, however often it is asked for. */
export interface Slots {
  /** One answer a wish, in the same order. Throws SlotsUnavailableError if there is no whole answer in time. */
  assign(wishes: readonly SlotWish[]): Promise<SlotAnswer[]>;
}

/** How much participants may send. */
export interface ParticipantLimits {
  set(change: {
    participantId: ParticipantId | '*';
    currency: string;
    limit: Limit;
    by: string;
  }): Promise<void>;
  list(participantId: ParticipantId | '*'): Promise<StoredLimit[]>;
}

/** Something that happened to a payment. */
export interface TimelineStep {
  readonly at: Date;
  readonly step: string;
  readonly detail?: string | undefined;
  readonly ids?: Readonly<Record<string, string>> | undefined;
  /** Where more of it can be read. */
  readonly link?: string | undefined;
}

/** A service that owns a part of the timeline. A throw means that it did not answer. */
export interface TimelineSource {
  readonly part: string;
  readonly service: string;
  /** False: its address is not set. */
  readonly configured: boolean;
  /** Undefined: it does not know of the payment. `statuses` are those that the payment has come to. */
  read(payment: {
    paymentId: PaymentId;
    statuses: readonly PaymentStatus[];
  }): Promise<TimelineStep[] | undefined>;
}
