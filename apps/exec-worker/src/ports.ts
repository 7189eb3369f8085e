import type { OperationOutcome, OutboxEntry, OutboxOperations, Settled, Settlement } from '@sluice/outbox';
import type {
  Payment,
  PaymentId,
  PaymentStatus,
  Rail,
  Transition,
  TransitionOfMany,
  TransitionOutcome,
} from '@sluice/payments';
import type { CircuitMode } from './rails/circuit.js';

/** One transaction over payments and outbox: all of it happens, or nothing. */
export interface ExecutionTransaction {
  transition(change: Transition): Promise<TransitionOutcome>;
  /** answers with those that stood at `from` and were moved */
  transitionMany(change: TransitionOfMany): Promise<PaymentId[]>;
  /** false if there is no such payment */
  setExpectedSettlement(payment: { paymentId: PaymentId; date: string }): Promise<boolean>;
  find(paymentId: PaymentId): Promise<Payment | undefined>;
  /** writes what became of claimed instructions */
  settle(settlements: readonly Settlement[]): Promise<readonly Settled[]>;
  resolve(request: Parameters<OutboxOperations['resolve']>[0]): Promise<OperationOutcome>;
  discard(request: Parameters<OutboxOperations['discard']>[0]): Promise<OperationOutcome>;
  /** once in a transaction, last; throws OutboxConflictError */
  enqueue(entries: readonly OutboxEntry[]): Promise<void>;
}

export interface Executions {
  transaction<T>(work: (transaction: ExecutionTransaction) => Promise<T>): Promise<T>;
}

/** What an operator last said about the circuit of a rail. */
export interface CircuitSetting {
  readonly rail: Rail;
  readonly mode: CircuitMode;
  readonly reason: string;
  readonly by: string;
  readonly at: Date;
}

export interface CircuitModeChange extends Omit<CircuitSetting, 'rail' | 'mode'> {
  /** null when nobody had said anything before */
  readonly before: CircuitMode | null;
  readonly after: CircuitMode;
}

/** Shared by all instances. */
export interface CircuitModes {
  list(): Promise<readonly CircuitSetting[]>;
  set(setting: Omit<CircuitSetting, 'at'>): Promise<CircuitSetting>;
  /** newest first */
  changes(rail: Rail, limit: number): Promise<readonly CircuitModeChange[]>;
}

/** Where payments stand; those that do not exist are left out. */
export type PaymentStatuses = (
  paymentIds: readonly PaymentId[],
) => Promise<ReadonlyMap<string, PaymentStatus>>;
