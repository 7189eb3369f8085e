import type { Pool } from 'pg';
import { uuidv7 } from 'uuidv7';
import { OutboxConflictError } from '../errors.js';
import { prepareBatch } from '../prepare-batch.js';
import type { PreparedBatch, PreparedEntry } from '../prepare-batch.js';
import type { EnqueueOutcome, KeyConflict, OutboxProducer, Queryable } from '../ports.js';
import { createAnnouncer } from './pg-announcer.js';
import type { EnqueuedRow } from './rows.js';
import type { Run } from './statements.js';

export function producer(pool: Pool, run: Run): OutboxProducer {
  return {
    announce: createAnnouncer(() => run(pool, 'announce_work', [])),
    async enqueue(db, entries) {
      const batch = prepareBatch(entries, uuidv7);
      const ids = batch.places.flatMap((place) => (place.conflicts ? [place.instructionId] : []));
      if (ids.length > 0) throw new OutboxConflictError([...new Set(ids)]);
      const rows = await enqueueDistinct(db, run, { batch, refusesConflicts: true });
      return batch.places.map((place) => {
        const outcome = outcomeOf(place, rows);
        if (outcome.kind === 'conflict') throw new Error('the outbox did not refuse a conflict');
        return outcome;
      });
    },
    async tryEnqueue(db, entries) {
      const batch = prepareBatch(entries, uuidv7);
      const rows = await enqueueDistinct(db, run, { batch, refusesConflicts: false });
      return batch.places.map((place) => outcomeOf(place, rows));
    },
  };
}

async function enqueueDistinct(
  db: Queryable,
  run: Run,
  { batch, refusesConflicts }: { readonly batch: PreparedBatch; readonly refusesConflicts: boolean },
): Promise<ReadonlyMap<number, EnqueuedRow>> {
  const { distinct } = batch;
  if (distinct.length === 0) return new Map();
  try {
    const rows = await run<EnqueuedRow>(db, 'enqueue_entries', [...columns(distinct), refusesConflicts]);
    return new Map(rows.map((row) => [Number(row.entry_position) - 1, row]));
  } catch (error) {
    throw asConflict(error) ?? error;
  }
}

function columns(distinct: readonly PreparedEntry[]): unknown[] {
  return [
    distinct.map(({ outboxId }) => outboxId),
    distinct.map(({ entry }) => entry.instructionId),
    distinct.map(({ entry }) => entry.participantId),
    distinct.map(({ entry }) => entry.idempotencyKey),
    distinct.map(({ entry }) => entry.railType),
    distinct.map(({ requestHash }) => requestHash),
    JSON.stringify(distinct.map(({ entry }) => entry.payload)),
  ];
}

function outcomeOf(
  { index, instructionId, repeats, conflicts }: PreparedBatch['places'][number],
  rows: ReadonlyMap<number, EnqueuedRow>,
): EnqueueOutcome | KeyConflict {
  const row = rows.get(index);
  if (!row) throw new Error('the outbox did not answer for every entry');
  if (conflicts || row.entry_kind === 'conflict') return { kind: 'conflict', instructionId };
  const outboxId = row.entry_outbox_id;
  if (repeats || row.entry_kind === 'duplicate') return { kind: 'duplicate', instructionId, outboxId };
  return { kind: 'enqueued', instructionId, outboxId, sequenceId: Number(row.entry_sequence_id) };
}

/** SLX01 is raised by payment_outbox_enqueue, with the instruction ids as JSON in the detail. */
function asConflict(error: unknown): OutboxConflictError | undefined {
  const { code, detail } = error as { code?: unknown; detail?: unknown };
  if (code !== 'SLX01' || typeof detail !== 'string') return undefined;
  return new OutboxConflictError(JSON.parse(detail) as string[], { cause: error });
}
