import { inTransaction } from '@sluice/service-kit/pg';
import type { Pool, PoolClient } from '@sluice/service-kit/pg';
import type { ClaimedDelivery, Limits } from '../delivery-ports.js';
import { patternsMatching } from '../event-type.js';
import type { EventStore, HandOver, ReceivedEvent, StoredEvents, StoreOutcome } from '../ports.js';
import { attemptsOf, retrySchedules } from '../retry-schedule.js';
import { createEndpointReader } from './pg-endpoints.js';
import { loadSql } from './sql.js';

interface NewDeliveryRow {
  id: string;
  tenant_id: string;
  event_id: string;
  event_type: string;
  subscription_id: string;
  attempts: number;
  max_attempts: number;
  replay_count: number;
  status: 'pending' | 'in_flight';
  created_at: Date;
}

/** Stores events and makes their deliveries, and leases as many of them at once as there is room for. */
export function createPgEvents(pool: Pool, defaults: Limits): EventStore {
  const statements = createStatements();
  const withEndpoints = createEndpointReader(defaults);

  const store = async (
    client: PoolClient,
    events: readonly ReceivedEvent[],
    handOver: HandOver,
  ): Promise<StoredEvents> => {
    const inserted = await statements.insertEvents(client, events);
    const isNew = firstOccurrences(events, inserted);
    const fresh = events.filter((_, at) => isNew[at]);
    const deliveries = fresh.length > 0 ? await statements.insertDeliveries(client, fresh, handOver) : [];
    const leased = deliveries.filter(({ status }) => status === 'in_flight');
    const complete = await withEndpoints(client, leased, (row) => row.subscription_id);
    const isAllNew = fresh.length === events.length;
    const conflicts = isAllNew ? new Set<number>() : await statements.findConflicts(client, events);
    const outcomes = events.map((_, at): StoreOutcome => {
      if (isNew[at]) return 'stored';
      return conflicts.has(at) ? 'conflict' : 'duplicate';
    });
    const claims = toClaims(complete, fresh, handOver.token);
    return { outcomes, claims, waiting: deliveries.length - leased.length };
  };

  return {
    async store(events, handOver) {
      if (events.length === 0) return { outcomes: [], claims: [], waiting: 0 };
      return inTransaction(pool, (client) => store(client, events, handOver));
    },
  };
}

function createStatements() {
  const sql = {
    insertEvents: loadSql('insert_events'),
    findConflicting: loadSql('find_conflicting_events'),
    insertDeliveries: loadSql('insert_deliveries'),
  };
  return {
    /** Keys of the events that were not known. */
    async insertEvents(client: PoolClient, events: readonly ReceivedEvent[]): Promise<Set<string>> {
      const values = [
        ...keyColumns(events),
        events.map(({ type }) => type),
        events.map(({ source }) => source),
        events.map(({ occurredAt }) => occurredAt),
        events.map(({ orderingKey }) => orderingKey),
        events.map(({ body }) => body),
        events.map(({ origin }) => origin.topic),
        events.map(({ origin }) => origin.partition),
        events.map(({ origin }) => origin.offset),
      ];
      const statement = { name: 'insert_events', text: sql.insertEvents, values };
      const { rows } = await client.query<{ tenant_id: string; id: string }>(statement);
      return new Set(rows.map((row) => eventKey({ tenantId: row.tenant_id, id: row.id })));
    },

    async insertDeliveries(
      client: PoolClient,
      events: readonly ReceivedEvent[],
      { token, leaseMs, room, maxPerSubscription, held }: HandOver,
    ): Promise<NewDeliveryRow[]> {
      const attempts = [attemptsOf(retrySchedules.default), attemptsOf(retrySchedules.long)];
      const handOver = [token, leaseMs, room, maxPerSubscription, held];
      const values = [...patternColumns(events), ...attempts, ...handOver];
      const statement = { name: 'insert_deliveries', text: sql.insertDeliveries, values };
      return (await client.query<NewDeliveryRow>(statement)).rows;
    },

    /** Positions of events that differ from what is stored under their id. */
    async findConflicts(client: PoolClient, events: readonly ReceivedEvent[]): Promise<Set<number>> {
      const values = [...keyColumns(events), events.map(({ body }) => body)];
      const { rows } = await client.query<{ position: number }>(sql.findConflicting, values);
      return new Set(rows.map(({ position }) => position - 1));
    },
  };
}

function toClaims(
  rows: readonly (NewDeliveryRow & Pick<ClaimedDelivery, 'endpoint'>)[],
  events: readonly ReceivedEvent[],
  token: string,
): ClaimedDelivery[] {
  const bodies = new Map(events.map((event) => [eventKey(event), event.body]));
  return rows.flatMap((row) => {
    const body = bodies.get(eventKey({ tenantId: row.tenant_id, id: row.event_id }));
    if (body === undefined) return [];
    const { endpoint } = row;
    return [
      {
        id: row.id,
        token,
        tenantId: row.tenant_id,
        attemptNo: row.attempts,
        maxAttempts: row.max_attempts,
        replayNo: row.replay_count,
        eventId: row.event_id,
        eventType: row.event_type,
        receivedAt: row.created_at,
        lagMs: 0,
        body,
        endpoint,
      },
    ];
  });
}

function keyColumns(events: readonly { tenantId: string; id: string }[]): [string[], string[]] {
  return [events.map(({ tenantId }) => tenantId), events.map(({ id }) => id)];
}

function patternColumns(events: readonly ReceivedEvent[]): string[][] {
  const wanted = events.flatMap((event) =>
    patternsMatching(event.type).map((pattern) => ({ ...event, pattern })),
  );
  return [...keyColumns(wanted), wanted.map(({ type }) => type), wanted.map(({ pattern }) => pattern)];
}

function eventKey({ tenantId, id }: { tenantId: string; id: string }): string {
  return `${tenantId} ${id}`;
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
