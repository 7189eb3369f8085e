import type { InstructionView } from './views.js';

/** On record with every change that a person made. */
export interface Authority {
  /** who */
  readonly actor: string;
  /** why */
  readonly reason: string;
}

export type DeadLetterState = 'FAILED' | 'IN_DOUBT';

/** An instruction that waits for an operator. */
export interface DeadLetter {
  readonly outboxId: string;
  readonly instructionId: string;
  readonly participantId: string;
  readonly sequenceId: number;
  readonly railType: string;
  readonly state: DeadLetterState;
  /** its participant waits for it */
  readonly holds: boolean;
  readonly attemptNo: number;
  readonly errorCode: string;
  readonly errorMessage: string;
  readonly enqueuedAt: Date;
  readonly diedAt: Date;
}

/** What is left out does not narrow the choice. */
export interface DeadLetterFilter {
  readonly railTypes?: readonly string[] | undefined;
  readonly participantId?: string | undefined;
  readonly errorCode?: string | undefined;
  readonly diedBefore?: Date | undefined;
  readonly diedAfter?: Date | undefined;
}

export interface DeadLetterPage {
  /** in the order in which they were enqueued */
  readonly deadLetters: readonly DeadLetter[];
  /** hand it over as `after` to get the next page; undefined on the last one */
  readonly next: string | undefined;
}

export interface RedriveRequest extends Authority {
  /** FAILED dead letters: these, or all that the filter names */
  readonly which: { readonly instructionIds: readonly string[] } | { readonly filter: DeadLetterFilter };
  /** at most so many, oldest first; default 1,000 */
  readonly limit?: number | undefined;
  /** only answers what would be redriven */
  readonly dryRun?: boolean | undefined;
}

export interface RedriveResult {
  readonly redriven: readonly string[];
  /** of the instruction ids asked for: those that are no FAILED dead letter (any more) */
  readonly skipped: readonly string[];
}

export type Resolution =
  /** it was executed after all: it is DISPATCHED now */
  | { readonly kind: 'executed'; readonly reference: string }
  /** it was not, and shall not be for now: it is FAILED now and may be redriven */
  | { readonly kind: 'notExecuted' }
  /** it was not, and goes again with its old number and key */
  | { readonly kind: 'resend' };

/** `refused`: the instruction is in another state, for instance since somebody else was quicker. */
export type OperationOutcome =
  | { readonly kind: 'done'; readonly instruction: InstructionView }
  | { readonly kind: 'refused'; readonly instruction: InstructionView }
  | { readonly kind: 'notFound' };

/** What an operator may do. Every change is an attempt row with actor and reason, in the same transaction. */
export interface OutboxOperations {
  listDeadLetters(request: {
    readonly state: DeadLetterState;
    readonly filter?: DeadLetterFilter | undefined;
    /** 1 to 1,000 */
    readonly limit: number;
    readonly after?: string | undefined;
  }): Promise<DeadLetterPage>;
  /** Sends FAILED instructions on their way again, with their old number and key and a fresh count of tries. */
  redrive(request: RedriveRequest): Promise<RedriveResult>;
  /** Ends the doubt about an IN_DOUBT instruction and frees its participant. */
  resolve(
    request: Authority & { readonly instructionId: string; readonly resolution: Resolution },
  ): Promise<OperationOutcome>;
  /** Closes a FAILED instruction for good and frees its participant, if it was held. */
  discard(request: Authority & { readonly instructionId: string }): Promise<OperationOutcome>;
}

/** Keeps the archive of attempts in months. */
export interface OutboxMaintenance {
  /** Makes the partitions of the months to come and drops those that are older than `keepMonths` whole months. */
  maintainPartitions(request: {
    readonly monthsAhead: number;
    /** undefined keeps everything */
    readonly keepMonths?: number | undefined;
  }): Promise<PartitionReport>;
}

export interface PartitionReport {
  readonly created: readonly string[];
  readonly dropped: readonly string[];
  /** attempts outside of every month's partition: maintenance came too late, and these are never dropped */
  readonly strays: number;
}
