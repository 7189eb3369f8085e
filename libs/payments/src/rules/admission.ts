import type { ParticipantId, PaymentId } from '../identifiers.js';
import type { Reason } from '../reason.js';
import type { Queryable } from '../store.js';
import type { EnrichedPayment } from './enrich-request.js';

/** Bounds of one participant in one currency; null is no bound. */
export interface Limit {
  readonly perPaymentMinorUnits: bigint | null;
  readonly perDayMinorUnits: bigint | null;
  readonly perDayPayments: number | null;
}

/** What a participant has been granted for one day. */
export interface Usage {
  readonly minorUnits: bigint;
  readonly payments: number;
}

/** The last payment that looked just the same. */
export interface LookAlike {
  readonly paymentId: PaymentId;
  readonly receivedAt: Date;
}

export type DuplicatePolicy =
  { readonly action: 'off' } | { readonly action: 'flag' | 'refuse'; readonly withinMs: number };

export interface AdmissionPolicy {
  /** Whose midnight ends the day of a daily limit. */
  readonly timeZone: string;
  readonly duplicates: DuplicatePolicy;
}

/** admitted: it may go on, with remarks for people in `flags`. */
export type Admission =
  | { readonly kind: 'admitted'; readonly paymentId: PaymentId; readonly flags: readonly Reason[] }
  | { readonly kind: 'refused'; readonly paymentId: PaymentId; readonly reason: Reason };

export interface StoredLimit extends Limit {
  readonly participantId: ParticipantId | '*';
  readonly currency: string;
  readonly updatedAt: Date;
  readonly updatedBy: string;
}

/**
 * The rules that have to remember: limits and look-alikes. What they remember is in the database, and payments that
 * are judged at the same moment wait for each other where it matters.
 */
export interface Admissions {
  /**
   * Judges payments in their order, and keeps room for those that it admits. Inside the caller's transaction. A
   * payment that was admitted before is admitted again and counts once.
   */
  admit(db: Queryable, payments: readonly EnrichedPayment[]): Promise<Admission[]>;
  /** Gives back what was kept for payments that will not run after all. */
  release(db: Queryable, paymentIds: readonly PaymentId[]): Promise<void>;
  setLimit(
    db: Queryable,
    change: { participantId: ParticipantId | '*'; currency: string; limit: Limit; by: string },
  ): Promise<void>;
  listLimits(db: Queryable, participantId: ParticipantId | '*'): Promise<StoredLimit[]>;
  listFlags(db: Queryable, paymentId: PaymentId): Promise<Reason[]>;
  /** Look-alikes that no span reaches any more. */
  forgetLookAlikes(db: Queryable, before: Date, atMost: number): Promise<number>;
}
