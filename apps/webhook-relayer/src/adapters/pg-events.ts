import { inTransaction } from '@sluice/service-kit/pg';
import type { Pool, PoolClient } from '@sluice/service-kit/pg';
import { patternsMatching } from '../event-type.js';
import type {
  AttemptView,
  DeliveryStatus,
  EventStore,
  EventView,
  ReceivedEvent,
  StoreOutcome,
} from '../ports.js';
import { loadSql } from './sql.js';

const LIST_LIMIT = 1_000;

export function createPgEvents(pool: Pool, options: { readonly maxAttempts: number }): EventStore {
  const store = createStoring(options);
  const sql = {
    findEvent: loadSql('find_event'),
    listDeliveries: loadSql('list_event_deliveries'),
    listAttempts: loadSql('list_event_attempts'),
  };
  return {
    async store(events) {
      if (events.length === 0) return { outcomes: [], deliveries: 0 };
      return inTransaction(pool, (client) => store(client, events));
    },

    async find(tenantId, id) {
      const { rows } = await pool.query<EventRow>(sql.findEvent, [tenantId, id]);
      const [event] = rows;
      if (event === undefined) return undefined;
      const deliveries = await pool.query<DeliveryRow>(sql.listDeliveries, [tenantId, id, LIST_LIMIT]);
      return toEventView(event, deliveries.rows);
    },

    async attempts(tenantId, id) {
      const { rows } = await pool.query<AttemptRow>(sql.listAttempts, [tenantId, id, LIST_LIMIT]);
      return rows.map(toAttemptView);
    },
  };
}

type Stored = Awaited<ReturnType<EventStore['store']>>;

/** Stores events and makes their deliveries inside a transaction. */
function createStoring(options: { readonly maxAttempts: number }) {
  const sql = {
    insertEvents: loadSql('insert_events'),
    findConflicting: loadSql('find_conflicting_events'),
    insertDeliveries: loadSql('insert_deliveries'),
  };

  const insertEvents = async (client: PoolClient, events: readonly ReceivedEvent[]): Promise<Set<string>> => {
    const { rows } = await client.query<{ tenant_id: string; id: string }>(sql.insertEvents, [
      ...keyColumns(events),
      events.map(({ type }) => type),
      events.map(({ source }) => source),
      events.map(({ occurredAt }) => occurredAt),
      events.map(({ orderingKey }) => orderingKey),
      events.map(({ body }) => body),
      events.map(({ origin }) => origin.topic),
      events.map(({ origin }) => origin.partition),
      events.map(({ origin }) => origin.offset),
    ]);
    return new Set(rows.map((row) => eventKey({ tenantId: row.tenant_id, id: row.id })));
  };

  const insertDeliveries = async (client: PoolClient, events: readonly ReceivedEvent[]): Promise<number> => {
    const wanted = events.flatMap(({ tenantId, id, type }) =>
      patternsMatching(type).map((pattern) => ({ tenantId, id, pattern })),
    );
    const patterns = wanted.map(({ pattern }) => pattern);
    const values = [...keyColumns(wanted), patterns, options.maxAttempts];
    const { rowCount } = await client.query(sql.insertDeliveries, values);
    return rowCount ?? 0;
  };

  /** Positions of events that differ from what is stored under their id. */
  const findConflicts = async (
    client: PoolClient,
    events: readonly ReceivedEvent[],
  ): Promise<Set<number>> => {
    const values = [...keyColumns(events), events.map(({ body }) => body)];
    const { rows } = await client.query<{ position: number }>(sql.findConflicting, values);
    return new Set(rows.map(({ position }) => position - 1));
  };

  return async (client: PoolClient, events: readonly ReceivedEvent[]): Promise<Stored> => {
    const inserted = await insertEvents(client, events);
    const isNew = firstOccurrences(events, inserted);
    const fresh = events.filter((_, at) => isNew[at]);
    const deliveries = fresh.length > 0 ? await insertDeliveries(client, fresh) : 0;
    const conflicts = fresh.length < events.length ? await findConflicts(client, events) : new Set<number>();
    const outcomes = events.map((_, at): StoreOutcome => {
      if (isNew[at]) return 'stored';
      return conflicts.has(at) ? 'conflict' : 'duplicate';
    });
    return { outcomes, deliveries };
  };
}

function keyColumns(events: readonly { tenantId: string; id: string }[]): [string[], string[]] {
  return [events.map(({ tenantId }) => tenantId), events.map(({ id }) => id)];
}

interface EventRow {
  id: string;
  type: string;
  source: string;
  occurred_at: Date;
  received_at: Date;
  body: Buffer;
}

interface DeliveryRow {
  id: string;
  subscription_id: string;
  status: DeliveryStatus;
  attempts: number;
  deferrals: number;
  next_attempt_at: Date;
  finished_at: Date | null;
  last_error: string | null;
}

interface AttemptRow {
  delivery_id: string;
  subscription_id: string;
  attempt_no: number;
  outcome: string;
  applied: boolean;
  status_code: number | null;
  error_code: string | null;
  error_detail: string | null;
  response_body: string | null;
  duration_ms: number | null;
  recorded_at: Date;
}

function toEventView(event: EventRow, deliveries: readonly DeliveryRow[]): EventView {
  return {
    id: event.id,
    type: event.type,
    source: event.source,
    occurredAt: event.occurred_at,
    receivedAt: event.received_at,
    body: event.body,
    deliveries: deliveries.map((delivery) => ({
      id: delivery.id,
      subscriptionId: delivery.subscription_id,
      status: delivery.status,
      attempts: delivery.attempts,
      deferrals: delivery.deferrals,
      nextAttemptAt: delivery.status === 'pending' ? delivery.next_attempt_at : null,
      finishedAt: delivery.finished_at,
      lastError: delivery.last_error,
    })),
  };
}

function toAttemptView(row: AttemptRow): AttemptView {
  return {
    deliveryId: row.delivery_id,
    subscriptionId: row.subscription_id,
    attemptNo: row.attempt_no,
    outcome: row.outcome,
    applied: row.applied,
    statusCode: row.status_code,
    errorCode: row.error_code,
    errorDetail: row.error_detail,
    responseBody: row.response_body,
    durationMs: row.duration_ms,
    recordedAt: row.recorded_at,
  };
}

function eventKey({ tenantId, id }: { tenantId: string; id: string }): string {
  return JSON.stringify([tenantId, id]);
}

/** True for each event that was stored by this call; a repetition within the call is not new. */
function firstOccurrences(events: readonly ReceivedEvent[], inserted: ReadonlySet<string>): boolean[] {
  const seen = new Set<string>();
  return events.map((event) => {
    const key = eventKey(event);
    const isNew = inserted.has(key) && !seen.has(key);
    seen.add(key);
    return isNew;
  });
}
