import type { Claim } from '../ports.js';
import type { AttemptState, AttemptView, OutboxDepth } from '../views.js';

// The shapes that the statements beside this file return; `bigint` columns arrive as text.

export interface EnqueuedRow {
  entry_position: string;
  entry_kind: 'enqueued' | 'duplicate' | 'conflict';
  entry_outbox_id: string;
  entry_sequence_id: string | null;
}

export interface LeaseRow {
  participant_id: string;
  claim_token: string;
}

export interface SettledRow {
  settled_outbox_id: string;
  settled_token: string;
  settled_kind: 'recorded' | 'late';
}

export interface ClaimRow {
  outbox_id: string;
  instruction_id: string;
  participant_id: string;
  sequence_id: string;
  idempotency_key: string;
  rail_type: string;
  payload: unknown;
  attempt_no: number;
  try_no: number;
  outcome_unknown: boolean;
  created_at: Date;
}

export interface AttemptRow {
  sequence_id: string;
  attempt_no: number;
  state: AttemptState;
  created_at: Date;
  rail_reference: string | null;
  rail_code: string | null;
  error_code: string | null;
  error_message: string | null;
  latency_ms: number | null;
  actor: string | null;
  reason: string | null;
}

export interface DepthRow {
  pending: string;
  pending_in_all: string;
  oldest_pending_age_seconds: string;
  in_flight: string;
  stuck: string;
  dead: string;
  in_doubt: string;
  held_participants: string;
}

export function toClaim(row: ClaimRow, token: string): Claim {
  return {
    outboxId: row.outbox_id,
    instructionId: row.instruction_id,
    participantId: row.participant_id,
    sequenceId: Number(row.sequence_id),
    idempotencyKey: row.idempotency_key,
    railType: row.rail_type,
    payload: row.payload,
    attemptNo: row.attempt_no,
    enqueuedAt: row.created_at,
    token,
    outcomeUnknown: row.outcome_unknown,
    tryNo: row.try_no,
    redriven: row.try_no < row.attempt_no,
  };
}

export function toAttempt(row: AttemptRow): AttemptView {
  return {
    attemptNo: row.attempt_no,
    state: row.state,
    at: row.created_at,
    reference: row.rail_reference ?? undefined,
    code: row.rail_code ?? undefined,
    errorCode: row.error_code ?? undefined,
    errorMessage: row.error_message ?? undefined,
    latencyMs: row.latency_ms ?? undefined,
    actor: row.actor ?? undefined,
    reason: row.reason ?? undefined,
  };
}

export function toDepth(row: DepthRow, countedUpTo: number): OutboxDepth {
  const counted = Number(row.pending);
  return {
    pending: counted < countedUpTo ? counted : Math.max(counted, Number(row.pending_in_all)),
    oldestPendingAgeSeconds: Number(row.oldest_pending_age_seconds),
    inFlight: Number(row.in_flight),
    stuck: Number(row.stuck),
    dead: Number(row.dead),
    inDoubt: Number(row.in_doubt),
    heldParticipants: Number(row.held_participants),
  };
}
