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

/** The instruction id or the idempotency key is known with another content. Nothing was enqueued for this entry. */
export interface KeyConflict {
  readonly kind: 'conflict';
  readonly instructionId: string;
}

/** The producer's side. */
export interface OutboxProducer {
  /**
   * Runs inside the caller's transaction (READ COMMITTED) and keeps the participants' sequence rows locked until it ends,
   * so call it once, last. Answers in the order of `entries`. Throws OutboxConflictError when a key is known
   * with another content; the caller's transaction must then be rolled back.
   */
  enqueue(db: Queryable, entries: readonly OutboxEntry[]): Promise<readonly EnqueueOutcome[]>;
  /** The same, for callers to whom a conflict is an answer: the entries without one are enqueued, and may be committed. */
  tryEnqueue(
    db: Queryable,
    entries: readonly OutboxEntry[],
  ): Promise<readonly (EnqueueOutcome | KeyConflict)[]>;
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

/**
 * An instruction leased to one relay. The lease is on its participant: all instructions that were claimed together share
 * the token, and whoever does not hold it can no longer write an outcome.
 */
export interface Claim extends Instruction {
  readonly token: string;
  /** an earlier attempt may have been executed: ask the destination before a second send */
  readonly outcomeUnknown: boolean;
  /** like attemptNo, but counted afresh after a redrive: limits of retries go by it */
  readonly tryNo: number;
  /** an operator sent it on its way again: ask the destination first, if it can answer */
  readonly redriven: boolean;
}

export interface ClaimLimits {
  /** participants at most */
  readonly participants: number;
  /** instructions of one participant at most; they have to be sent one after the other */
  readonly runLength: number;
}

export interface ClaimRequest {
  readonly railTypes: readonly string[];
  /** participants at most, over all rail types */
  readonly limit: number;
  /** by rail type; without an entry `limit` participants, one instruction of each */
  readonly limits?: Readonly<Record<string, ClaimLimits>> | undefined;
  readonly leaseSeconds: number;
  /** a fresh UUID for every claim */
  readonly token: string;
}

/** The right to work for one participant. */
export interface Lease {
  readonly participantId: string;
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
  /** keeps its place and was not sent (circuit open, lease too short, shutdown): uses up no attempt */
  | {
      readonly kind: 'deferred';
      readonly delayMs: number;
      /** an earlier attempt may have been executed, and nothing has settled that since */
      readonly outcomeUnknown: boolean;
      readonly code: string;
      readonly message: string;
    }
  /** becomes a dead letter; by `holds` its participant waits for an operator or goes on with its next instruction */
  | { readonly kind: 'failed'; readonly holds: boolean; readonly code: string; readonly message: string }
  /** becomes a question for an operator; by `holds` its participant waits for the answer or goes on */
  | { readonly kind: 'inDoubt'; readonly holds: boolean; readonly code: string; readonly message: string };

export interface Settlement extends Lease {
  readonly outboxId: string;
  readonly outcome: Outcome;
  readonly latencyMs: number;
}

/** `late`: the lease had been taken away; the result is on record as LATE_RESULT and changed nothing else. */
export interface Settled {
  readonly outboxId: string;
  readonly token: string;
  readonly kind: 'recorded' | 'late';
}

/** The relay's side. */
export interface OutboxStore {
  /**
   * Due heads of participants that have nothing in flight and are not held, and what follows them as far as `limits`
   * allow and the rail type stays the same. Instructions of one participant are answered in sequence order.
   */
  claim(request: ClaimRequest): Promise<readonly Claim[]>;
  /** Extends leases by the database's clock; answers with those that were still held. */
  renew(leases: readonly Lease[], leaseSeconds: number): Promise<readonly Lease[]>;
  /** All or nothing. A participant becomes free with the last of its instructions that were claimed together. */
  settle(settlements: readonly Settlement[]): Promise<readonly Settled[]>;
  /**
   * Requeues the instructions of up to `limit` participants whose lease ran out, with their outcome marked unknown;
   * answers how many instructions.
   */
  reap(request: { readonly railTypes: readonly string[]; readonly limit: number }): Promise<number>;
}
