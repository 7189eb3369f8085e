import type { Pool } from 'pg';
import { uuidv7 } from 'uuidv7';
import { OutboxConflictError } from '../errors.js';
import { prepareBatch } from '../prepare-batch.js';
import type { PreparedBatch } from '../prepare-batch.js';
import type {
  AttemptState,
  EnqueueOutcome,
  InstructionView,
  OutboxProducer,
  OutboxStore,
  OutboxViews,
  Queryable,
  Settlement,
} from '../ports.js';
import { createAnnouncer } from './pg-announcer.js';
import { toAttempt, toClaim, toDepth } from './rows.js';
import type {
  AttemptRow,
  ClaimRow,
  DepthRow,
  EnqueuedRow,
  InstructionRow,
  LeaseRow,
  SettledRow,
} from './rows.js';
import { loadStatements } from './statements.js';
import type { Run } from './statements.js';

export interface PgOutbox extends OutboxProducer, OutboxStore, OutboxViews {}

/** The outbox on PostgreSQL 15 or later; the tables come from `outboxMigrations`. */
export function createPgOutbox(pool: Pool): PgOutbox {
  const run = loadStatements();
  return {
    ...producer(pool, run),
    ...store(pool, run),
    ...views(pool, run),
  };
}

function producer(pool: Pool, run: Run): OutboxProducer {
  return {
    announce: createAnnouncer(() => run(pool, 'announce_work', [])),
    async enqueue(db, entries) {
      const batch = prepareBatch(entries, uuidv7);
      return batch.distinct.length === 0 ? [] : inOrder(batch, await enqueueDistinct(db, run, batch));
    },
  };
}

async function enqueueDistinct(
  db: Queryable,
  run: Run,
  batch: PreparedBatch,
): Promise<Map<number, EnqueuedRow>> {
  const json = batch.distinct.map(({ entry, outboxId, requestHash }, position) => ({
    entry_position: position,
    outbox_id: outboxId,
    instruction_id: entry.instructionId,
    participant_id: entry.participantId,
    idempotency_key: entry.idempotencyKey,
    rail_type: entry.railType,
    request_hash: requestHash,
    payload: entry.payload,
  }));
  try {
    const rows = await run<EnqueuedRow>(db, 'enqueue_entries', [JSON.stringify(json)]);
    return new Map(rows.map((row) => [row.entry_position, row]));
  } catch (error) {
    throw asConflict(error) ?? error;
  }
}

function inOrder(batch: PreparedBatch, rows: Map<number, EnqueuedRow>): EnqueueOutcome[] {
  return batch.places.map(({ index, repeated }) => {
    const row = rows.get(index);
    const instructionId = batch.distinct[index]?.entry.instructionId;
    if (!row || instructionId === undefined) throw new Error('the outbox did not answer for every entry');
    const outboxId = row.entry_outbox_id;
    if (repeated || row.entry_kind === 'duplicate') return { kind: 'duplicate', instructionId, outboxId };
    return { kind: 'enqueued', instructionId, outboxId, sequenceId: Number(row.entry_sequence_id) };
  });
}

/** SLX01 is raised by payment_outbox_enqueue, with the instruction ids as JSON in the detail. */
function asConflict(error: unknown): OutboxConflictError | undefined {
  const { code, detail } = error as { code?: unknown; detail?: unknown };
  if (code !== 'SLX01' || typeof detail !== 'string') return undefined;
  return new OutboxConflictError(JSON.parse(detail) as string[], { cause: error });
}

function store(pool: Pool, run: Run): OutboxStore {
  return {
    async claim({ railTypes, limit, leaseSeconds, token }) {
      if (railTypes.length === 0 || limit < 1) return [];
      const values = [[...new Set(railTypes)], limit, leaseSeconds, token, newIds(limit)];
      const rows = await run<ClaimRow>(pool, 'claim_due_heads', values);
      if (rows.length > limit)
        throw new Error(`claimed ${rows.length} instructions where ${limit} were allowed`);
      return rows.map((row) => toClaim(row, token));
    },
    async renew(leases, leaseSeconds) {
      if (leases.length === 0) return [];
      const values = [leases.map((l) => l.outboxId), leases.map((l) => l.token), leaseSeconds];
      const rows = await run<LeaseRow>(pool, 'renew_leases', values);
      return rows.map((row) => ({ outboxId: row.outbox_id, token: row.claim_token }));
    },
    async settle(settlements) {
      if (settlements.length === 0) return [];
      const values = [JSON.stringify(settlements.map(toResult))];
      const rows = await run<SettledRow>(pool, 'settle_claims', values);
      return rows.map((row) => ({
        outboxId: row.settled_outbox_id,
        token: row.settled_token,
        kind: row.settled_kind,
      }));
    },
    async reap({ railTypes, limit }) {
      const rows = await run(pool, 'reap_expired_leases', [railTypes, limit, newIds(limit)]);
      return rows.length;
    },
  };
}

function newIds(count: number): string[] {
  return Array.from({ length: count }, () => uuidv7());
}

const attemptStates = {
  executed: 'DISPATCHED',
  retryLater: 'RETRYABLE',
  failed: 'FAILED',
  inDoubt: 'IN_DOUBT',
} as const satisfies Record<Settlement['outcome']['kind'], AttemptState>;

function toResult({ outboxId, token, outcome, latencyMs }: Settlement): Record<string, unknown> {
  const result = {
    outbox_id: outboxId,
    token,
    attempt_id: uuidv7(),
    kind: outcome.kind,
    state: attemptStates[outcome.kind],
    latency_ms: Math.round(latencyMs),
  };
  if (outcome.kind === 'executed') return { ...result, reference: outcome.reference, code: outcome.code };
  const failed = { ...result, error_code: outcome.code, error_message: outcome.message };
  if (outcome.kind !== 'retryLater') return failed;
  return { ...failed, delay_ms: outcome.delayMs, outcome_unknown: outcome.outcomeUnknown };
}

function views(pool: Pool, run: Run): OutboxViews {
  return {
    async findInstruction(instructionId): Promise<InstructionView | undefined> {
      const [found] = await run<InstructionRow>(pool, 'find_instruction', [instructionId]);
      if (!found) return undefined;
      const attempts = await run<AttemptRow>(pool, 'list_attempts', [found.outbox_id]);
      return {
        instructionId: found.instruction_id,
        participantId: found.participant_id,
        idempotencyKey: found.idempotency_key,
        railType: found.rail_type,
        state: found.state,
        enqueuedAt: found.created_at,
        nextAttemptAt: found.next_attempt_at ?? undefined,
        attempts: attempts.map(toAttempt),
      };
    },
    async depth(railTypes) {
      const [row] = await run<DepthRow>(pool, 'measure_depth', [railTypes]);
      if (!row) throw new Error('measure_depth returned no row');
      return toDepth(row);
    },
  };
}
