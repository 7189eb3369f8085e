import type { OutboxEntry } from '@sluice/outbox';
import type { Payment, PaymentId, Transition, TransitionOutcome } from '@sluice/payments';

/** One transaction over payments and outbox: all of it happens, or nothing. */
export interface ExecutionTransaction {
  transition(change: Transition): Promise<TransitionOutcome>;
  /** false if there is no such payment */
  setExpectedSettlement(payment: { paymentId: PaymentId; date: string }): Promise<boolean>;
  find(paymentId: PaymentId): Promise<Payment | undefined>;
  /** once in a transaction, last; throws OutboxConflictError */
  enqueue(entries: readonly OutboxEntry[]): Promise<void>;
}

export interface Executions {
  transaction<T>(work: (transaction: ExecutionTransaction) => Promise<T>): Promise<T>;
}
