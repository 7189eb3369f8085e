import type { DeadLetter } from '../operations.js';
import type { InstructionState, InstructionView, ParticipantState, ParticipantView } from '../views.js';
import { toAttempt } from './rows.js';
import type { AttemptRow } from './rows.js';

// The shapes that the views' statements return; `bigint` columns arrive as text.

export interface InstructionRow {
  outbox_id: string;
  instruction_id: string;
  participant_id: string;
  sequence_id: string | null;
  idempotency_key: string;
  rail_type: string;
  created_at: Date;
  next_attempt_at: Date | null;
  state: InstructionState;
}

export interface ParticipantRow {
  participant_id: string;
  next_sequence_id: string;
  state: ParticipantState;
  lease_until: Date | null;
  pending: string;
  oldest_instruction_id: string | null;
  oldest_sequence_id: string;
  oldest_rail_type: string;
  oldest_attempts: number;
  oldest_enqueued_at: Date;
  oldest_next_attempt_at: Date;
  holder_instruction_id: string | null;
  holder_sequence_id: string;
  holder_state: 'FAILED' | 'IN_DOUBT';
  holder_error_code: string;
  holder_since: Date;
}

export interface InFlightRow {
  instruction_id: string;
  sequence_id: string;
  attempt_no: number;
  claimed_at: Date;
}

export interface DeadLetterRow {
  outbox_id: string;
  instruction_id: string;
  participant_id: string;
  sequence_id: string;
  rail_type: string;
  state: 'FAILED' | 'IN_DOUBT';
  holds: boolean;
  attempt_count: number;
  error_code: string;
  error_message: string;
  created_at: Date;
  died_at: Date;
}

export function toInstruction(row: InstructionRow, attempts: readonly AttemptRow[]): InstructionView {
  const sequenceId = row.sequence_id ?? attempts[0]?.sequence_id;
  return {
    instructionId: row.instruction_id,
    participantId: row.participant_id,
    sequenceId: sequenceId === undefined ? undefined : Number(sequenceId),
    idempotencyKey: row.idempotency_key,
    railType: row.rail_type,
    state: row.state,
    enqueuedAt: row.created_at,
    nextAttemptAt: row.next_attempt_at ?? undefined,
    attempts: attempts.map(toAttempt),
  };
}

export function toParticipant(row: ParticipantRow, inFlight: readonly InFlightRow[]): ParticipantView {
  return {
    participantId: row.participant_id,
    state: row.state,
    nextSequenceId: Number(row.next_sequence_id),
    pending: Number(row.pending),
    oldestPending: toOldest(row),
    inFlight: inFlight.map((one) => ({
      instructionId: one.instruction_id,
      sequenceId: Number(one.sequence_id),
      attemptNo: one.attempt_no,
      claimedAt: one.claimed_at,
    })),
    leaseUntil: row.lease_until ?? undefined,
    heldBy: toHolder(row),
  };
}

function toOldest(row: ParticipantRow): ParticipantView['oldestPending'] {
  if (row.oldest_instruction_id === null) return undefined;
  return {
    instructionId: row.oldest_instruction_id,
    sequenceId: Number(row.oldest_sequence_id),
    railType: row.oldest_rail_type,
    attempts: row.oldest_attempts,
    enqueuedAt: row.oldest_enqueued_at,
    nextAttemptAt: row.oldest_next_attempt_at,
  };
}

function toHolder(row: ParticipantRow): ParticipantView['heldBy'] {
  if (row.holder_instruction_id === null) return undefined;
  return {
    instructionId: row.holder_instruction_id,
    sequenceId: Number(row.holder_sequence_id),
    state: row.holder_state,
    errorCode: row.holder_error_code,
    since: row.holder_since,
  };
}

export function toDeadLetter(row: DeadLetterRow): DeadLetter {
  return {
    outboxId: row.outbox_id,
    instructionId: row.instruction_id,
    participantId: row.participant_id,
    sequenceId: Number(row.sequence_id),
    railType: row.rail_type,
    state: row.state,
    holds: row.holds,
    attemptNo: row.attempt_count,
    errorCode: row.error_code,
    errorMessage: row.error_message,
    enqueuedAt: row.created_at,
    diedAt: row.died_at,
  };
}
