import type { Amount } from './money.js';
import type { ParticipantId, PaymentId } from './identifiers.js';
import type { PaymentStatus } from './status.js';
import type { PaymentRequest, Rail } from './request.js';
import type { Reason } from './reason.js';

/** A pg pool, or one client of it inside a transaction: the store's calls join whatever the caller has open. */
export interface Queryable {
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[]; rowCount: number | null }>;
}

export interface ScheduledPayment {
  readonly request: PaymentRequest;
  readonly fingerprint: string;
  readonly scheduledTime: Date;
  readonly initWorkflowId: string;
}

export interface RejectedPayment {
  readonly paymentId: PaymentId;
  /** As it came in; it may be what the schema refused. */
  readonly request: unknown;
  readonly fingerprint: string;
  readonly reason: Reason;
  readonly initWorkflowId: string;
}

/**
 * inserted: the row is new. already: a row with this fingerprint was there and was left alone.
 * conflict: the id belongs to another request, and that row was left alone.
 */
export interface InsertOutcome {
  readonly kind: 'inserted' | 'already' | 'conflict';
  readonly paymentId: PaymentId;
  /** As stored, whoever stored it. */
  readonly status: PaymentStatus;
  readonly scheduledTime: Date | null;
}

/** What is needed to tell a repeated request from a conflicting one, and to go on where an earlier run stopped. */
export interface PaymentStamp {
  readonly paymentId: PaymentId;
  readonly fingerprint: string;
  readonly status: PaymentStatus;
  readonly scheduledTime: Date | null;
}

export interface Transition {
  readonly paymentId: PaymentId;
  readonly from: PaymentStatus;
  readonly to: PaymentStatus;
  readonly reason?: Reason;
  /** Who or what changed it, for the audit trail: a workflow id, an operator's key id. */
  readonly by: string;
}

/** The same change for many payments, each with a reason of its own if it needs one. */
export interface TransitionOfMany extends Pick<Transition, 'from' | 'to' | 'by'> {
  readonly payments: readonly { readonly paymentId: PaymentId; readonly reason?: Reason }[];
}

/**
 * changed: made now. already: the audit trail shows this very change, whatever came after it, so a replayed step
 * has nothing to do. refused: the payment stands elsewhere (status), or is not there at all (null).
 */
export type TransitionOutcome =
  | { readonly kind: 'changed'; readonly status: PaymentStatus }
  | { readonly kind: 'already'; readonly status: PaymentStatus }
  | { readonly kind: 'refused'; readonly status: PaymentStatus | null };

export interface Payment {
  readonly paymentId: PaymentId;
  readonly status: PaymentStatus;
  readonly reason: Reason | null;
  /** Null only in a payment that was rejected because its request could not be read. */
  readonly participantId: ParticipantId | null;
  readonly rail: Rail | null;
  readonly amount: Amount | null;
  readonly reference: string | null;
  readonly executeAt: Date | null;
  readonly scheduledTime: Date | null;
  /** A calendar day, yyyy-mm-dd. */
  readonly expectedSettlementDate: string | null;
  readonly fingerprint: string;
  readonly initWorkflowId: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export interface StatusChange {
  readonly from: PaymentStatus | null;
  readonly to: PaymentStatus;
  readonly reason: Reason | null;
  readonly by: string;
  readonly at: Date;
}

/** The payments table and its audit trail. Every change of status is one statement together with its audit row. */
export interface PaymentStore {
  insertScheduled(db: Queryable, payments: readonly ScheduledPayment[]): Promise<InsertOutcome[]>;
  insertRejected(db: Queryable, payments: readonly RejectedPayment[]): Promise<InsertOutcome[]>;
  /** Throws a RangeError for a change that the transition table does not have: that is a fault in the caller. */
  transition(db: Queryable, change: Transition): Promise<TransitionOutcome>;
  /** Moves those that stand at `from` and answers with them; the others are left alone. Throws as `transition` does. */
  transitionMany(db: Queryable, change: TransitionOfMany): Promise<PaymentId[]>;
  /** False if there is no such payment. Setting the same day again changes nothing. */
  setExpectedSettlement(db: Queryable, payment: { paymentId: PaymentId; date: string }): Promise<boolean>;
  find(db: Queryable, paymentId: PaymentId): Promise<Payment | undefined>;
  findStamps(db: Queryable, paymentIds: readonly PaymentId[]): Promise<PaymentStamp[]>;
  listStatusChanges(db: Queryable, paymentId: PaymentId): Promise<StatusChange[]>;
}
