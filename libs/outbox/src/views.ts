export type InstructionState = 'PENDING' | 'IN_FLIGHT' | 'DISPATCHED' | 'FAILED' | 'IN_DOUBT' | 'DISCARDED';

/** What relays and the reaper wrote, and below it what operators did. */
export type AttemptState =
  | 'DISPATCHING'
  | 'DISPATCHED'
  | 'RETRYABLE'
  | 'DEFERRED'
  | 'FAILED'
  | 'IN_DOUBT'
  | 'ZOMBIE_REQUEUE'
  | 'LATE_RESULT'
  | 'REDRIVEN'
  | 'RESOLVED_EXECUTED'
  | 'RESOLVED_NOT_EXECUTED'
  | 'RESOLVED_RESEND'
  | 'DISCARDED';

export interface AttemptView {
  readonly attemptNo: number;
  readonly state: AttemptState;
  readonly at: Date;
  readonly reference?: string | undefined;
  readonly code?: string | undefined;
  readonly errorCode?: string | undefined;
  readonly errorMessage?: string | undefined;
  readonly latencyMs?: number | undefined;
  /** of an operator's change: who, and why */
  readonly actor?: string | undefined;
  readonly reason?: string | undefined;
}

export interface InstructionView {
  readonly instructionId: string;
  readonly participantId: string;
  /** no longer known when it was dispatched so long ago that its attempts were dropped */
  readonly sequenceId: number | undefined;
  readonly idempotencyKey: string;
  readonly railType: string;
  readonly state: InstructionState;
  readonly enqueuedAt: Date;
  readonly nextAttemptAt?: Date | undefined;
  readonly attempts: readonly AttemptView[];
}

/** `BUSY`: something is in flight. `HELD`: nothing goes until an operator has dealt with `heldBy`. */
export type ParticipantState = 'IDLE' | 'READY' | 'BUSY' | 'HELD';

export interface ParticipantView {
  readonly participantId: string;
  readonly state: ParticipantState;
  /** the number that its next instruction will get */
  readonly nextSequenceId: number;
  /** counted up to 1,000 */
  readonly pending: number;
  /** what waits with the lowest number */
  readonly oldestPending?:
    | {
        readonly instructionId: string;
        readonly sequenceId: number;
        readonly railType: string;
        readonly attempts: number;
        readonly enqueuedAt: Date;
        readonly nextAttemptAt: Date;
      }
    | undefined;
  readonly inFlight: readonly {
    readonly instructionId: string;
    readonly sequenceId: number;
    readonly attemptNo: number;
    readonly claimedAt: Date;
  }[];
  readonly leaseUntil?: Date | undefined;
  readonly heldBy?:
    | {
        readonly instructionId: string;
        readonly sequenceId: number;
        readonly state: 'FAILED' | 'IN_DOUBT';
        readonly errorCode: string;
        readonly since: Date;
      }
    | undefined;
}

/** Small numbers about the present, for gauges. Read from the current-state tables, never from the attempts. */
export interface OutboxDepth {
  /** exact up to 100,000; above that an estimate from the database's statistics, never below 100,000 */
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
  findParticipant(participantId: string): Promise<ParticipantView | undefined>;
  depth(railTypes: readonly string[]): Promise<OutboxDepth>;
}
