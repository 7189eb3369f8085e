import type {
  InsertOutcome,
  Payment,
  PaymentId,
  PaymentRequest,
  PaymentStamp,
  Reason,
  RejectedPayment,
  ScheduledPayment,
} from '@sluice/payments';

/** The payments table, with its database already behind it. */
export interface Payments {
  insertScheduled(payments: readonly ScheduledPayment[]): Promise<InsertOutcome[]>;
  insertRejected(payments: readonly RejectedPayment[]): Promise<InsertOutcome[]>;
  findStamps(paymentIds: readonly PaymentId[]): Promise<PaymentStamp[]>;
  find(paymentId: PaymentId): Promise<Payment | undefined>;
}

/**
 * started: the payment is in Temporal's hands and will not be lost. exists: it was before, with this fingerprint.
 * unavailable: Temporal did not say; the start may have happened all the same, so the producer asks again.
 */
export type StartOutcome =
  | { readonly kind: 'started' }
  | { readonly kind: 'exists'; readonly fingerprint: string | undefined }
  | { readonly kind: 'unavailable'; readonly cause: unknown };

export type RunOutcome =
  | { readonly kind: 'found'; readonly startedAt: Date }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'unavailable'; readonly cause: unknown };

/** Runs of PaymentInitWorkflow for single payments. Every call has a deadline. */
export interface InitWorkflows {
  start(payment: { request: PaymentRequest; fingerprint: string }): Promise<StartOutcome>;
  find(paymentId: PaymentId): Promise<RunOutcome>;
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
