/** A pool, a client, or a client inside a transaction: anything that runs one bound statement. */
export interface Queryable {
  query(statement: { name?: string; text: string; values?: unknown[] }): Promise<{ rows: unknown[] }>;
}

/** What a producer hands over. The same keys with the same content may be handed over any number of times. */
export interface OutboxEntry {
  /** unique in the whole outbox */
  readonly instructionId: string;
  /** instructions of one participant leave one after the other, in the order in which they were enqueued */
  readonly participantId: string;
  /** unique for its participant; the destination sees the same key on every attempt */
  readonly idempotencyKey: string;
  /** names the destination, such as `ACH` or `EVENT` */
  readonly railType: string;
  /** a JSON value */
  readonly payload: unknown;
}

export type EnqueueOutcome =
  | {
      readonly kind: 'enqueued';
      readonly instructionId: string;
      readonly outboxId: string;
      readonly sequenceId: number;
    }
  | { readonly kind: 'duplicate'; readonly instructionId: string; readonly outboxId: string };

/** The producer's side. */
export interface OutboxProducer {
  /**
   * Runs inside the caller's transaction (READ COMMITTED) and keeps the participants' sequence rows locked until it ends,
   * so call it once, last. Answers in the order of `entries`. Throws OutboxConflictError when a key is known
   * with another content; the caller's transaction must then be rolled back.
   */
  enqueue(db: Queryable, entries: readonly OutboxEntry[]): Promise<readonly EnqueueOutcome[]>;
  /** Call after the commit. A hint to relays that there is work; coalesced, never fails, safe to lose. */
  announce(): void;
}

/** One instruction on its way out. */
export interface Instruction {
  readonly outboxId: string;
  readonly instructionId: string;
  readonly participantId: string;
  /** 1, 2, 3 … for each participant, without gaps */
  readonly sequenceId: number;
  readonly idempotencyKey: string;
  readonly railType: string;
  readonly payload: unknown;
  /** 1 on the first attempt */
  readonly attemptNo: number;
  readonly enqueuedAt: Date;
}

/** An instruction leased to one relay. Whoever does not hold the token can no longer write its outcome. */
export interface Claim extends Instruction {
  readonly token: string;
  /** an earlier attempt may have been executed: ask the destination before a second send */
  readonly outcomeUnknown: boolean;
}

export interface ClaimRequest {
  readonly railTypes: readonly string[];
  readonly limit: number;
  readonly leaseSeconds: number;
  /** a fresh UUID for every claim */
  readonly token: string;
}

export interface Lease {
  readonly outboxId: string;
  readonly token: string;
}

/** What becomes of a claimed instruction. */
export type Outcome =
  | { readonly kind: 'executed'; readonly reference?: string | undefined; readonly code?: string | undefined }
  /** keeps its place: nothing of the same participant overtakes it */
  | {
      readonly kind: 'retryLater';
      readonly delayMs: number;
      /** the destination may have executed it */
      readonly outcomeUnknown: boolean;
      readonly code: string;
      readonly message: string;
    }
  /** becomes a dead letter; the participant goes on with its next instruction */
  | { readonly kind: 'failed'; readonly code: string; readonly message: string }
  /** becomes a dead letter for an operator; the participant is held until it is resolved */
  | { readonly kind: 'inDoubt'; readonly code: string; readonly message: string };

export interface Settlement extends Lease {
  readonly outcome: Outcome;
  readonly latencyMs: number;
}

/** `late`: the lease had been taken away; the result is on record as LATE_RESULT and changed nothing else. */
export interface Settled extends Lease {
  readonly kind: 'recorded' | 'late';
}

/** The relay's side. */
export interface OutboxStore {
  /** Due heads of participants that have nothing in flight and are not held; at most one for each participant. */
  claim(request: ClaimRequest): Promise<readonly Claim[]>;
  /** Extends leases by the database's clock; answers with those that were still held. */
  renew(leases: readonly Lease[], leaseSeconds: number): Promise<readonly Lease[]>;
  settle(settlements: readonly Settlement[]): Promise<readonly Settled[]>;
  /** Requeues instructions whose lease ran out, with their outcome marked unknown; answers how many. */
  reap(request: { readonly railTypes: readonly string[]; readonly limit: number }): Promise<number>;
}

export type InstructionState = 'PENDING' | 'IN_FLIGHT' | 'DISPATCHED' | 'FAILED' | 'IN_DOUBT';

export type AttemptState =
  'DISPATCHING' | 'DISPATCHED' | 'RETRYABLE' | 'FAILED' | 'IN_DOUBT' | 'ZOMBIE_REQUEUE' | 'LATE_RESULT';

export interface AttemptView {
  readonly attemptNo: number;
  readonly state: AttemptState;
  readonly at: Date;
  readonly reference?: string | undefined;
  readonly code?: string | undefined;
  readonly errorCode?: string | undefined;
  readonly errorMessage?: string | undefined;
  readonly latencyMs?: number | undefined;
}

export interface InstructionView {
  readonly instructionId: string;
  readonly participantId: string;
  readonly idempotencyKey: string;
  readonly railType: string;
  readonly state: InstructionState;
  readonly enqueuedAt: Date;
  readonly nextAttemptAt?: Date | undefined;
  readonly attempts: readonly AttemptView[];
}

/** Small numbers about the present, for gauges. Read from the current-state tables, never from the attempts. */
export interface OutboxDepth {
  readonly pending: number;
  readonly oldestPendingAgeSeconds: number;
  readonly inFlight: number;
  /** in flight with a lease that ran out */
  readonly stuck: number;
  readonly dead: number;
  readonly inDoubt: number;
  readonly heldParticipants: number;
}

export interface OutboxViews {
  findInstruction(instructionId: string): Promise<InstructionView | undefined>;
  depth(railTypes: readonly string[]): Promise<OutboxDepth>;
}

/** What a destination says about a send. */
export type SendResult =
  | { readonly kind: 'executed'; readonly reference?: string | undefined; readonly code?: string | undefined }
  /** surely not executed; may succeed later */
  | {
      readonly kind: 'retryable';
      readonly code: string;
      readonly message: string;
      readonly retryAfterMs?: number | undefined;
    }
  /** surely not executed and never will be */
  | { readonly kind: 'terminal'; readonly code: string; readonly message: string }
  /** no answer, or one that does not tell whether it was executed */
  | { readonly kind: 'unknown'; readonly code: string; readonly message: string };

export type StatusResult =
  | { readonly kind: 'executed'; readonly reference?: string | undefined; readonly code?: string | undefined }
  /** surely not executed, and an earlier send can no longer be executed behind our back */
  | { readonly kind: 'notExecuted' }
  | { readonly kind: 'unknown'; readonly code: string; readonly message: string };

/** Where instructions go. A thrown error counts as `unknown`. */
export interface Destination {
  /** a repeated send with the same idempotency key has no second effect */
  readonly recognisesKeys: boolean;
  send(instruction: Instruction, signal: AbortSignal): Promise<SendResult>;
  /** asks by the idempotency key; leave it out when the destination cannot answer */
  status?(instruction: Instruction, signal: AbortSignal): Promise<StatusResult>;
}
