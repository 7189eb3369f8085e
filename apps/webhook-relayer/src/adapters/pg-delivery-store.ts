import type { DeliveryFilter, DeliveryStatus, DeliveryStore } from '../api-ports.js';
import { toDeliveryView } from './delivery-row.js';
import type { DeliveryRow } from './delivery-row.js';
import type { Database } from './database.js';
import { loadSql } from './sql.js';

const FINISHED: readonly DeliveryStatus[] = ['delivered', 'failed', 'cancelled'];

/** Deliveries as customers look at them and begin them anew. */
export function createPgDeliveryStore(database: Database): DeliveryStore {
  const sql = {
    find: loadSql('find_delivery'),
    list: loadSql('list_deliveries'),
    findFailed: loadSql('find_failed_deliveries'),
    replay: loadSql('replay_deliveries'),
  };
  return {
    async find(tenantId, id) {
      const rows = await database.query<DeliveryRow>(sql.find, [tenantId, id]);
      return rows.map(toDeliveryView)[0];
    },

    async list(tenantId, filter, { after, limit }) {
      // One more than asked for tells whether there is a next page.
      const values = [tenantId, ...filterValues(filter), after?.at ?? null, after?.id ?? null, limit + 1];
      const rows = await database.query<DeliveryRow & { cursor_at: string }>(sql.list, values);
      const page = rows.slice(0, limit);
      const last = page.at(-1);
      const next =
        rows.length > limit && last !== undefined ? { at: last.cursor_at, id: last.id } : undefined;
      return { deliveries: page.map(toDeliveryView), next };
    },

    async findFailed(tenantId, span, limit) {
      const rows = await database.query<{ id: string }>(sql.findFailed, [
        tenantId,
        span.subscriptionId ?? null,
        span.eventType ?? null,
        span.createdFrom,
        span.createdBefore,
        limit,
      ]);
      return rows.map(({ id }) => id);
    },

    async replay({ tenantId, by }, { ids, onlyFailed, reason }) {
      const from = onlyFailed ? ['failed'] : FINISHED;
      const rows = await database.query<{ id: string }>(sql.replay, [tenantId, ids, from, by, reason]);
      return rows.map(({ id }) => id);
    },
  };
}

function filterValues(filter: DeliveryFilter): unknown[] {
  return [
    filter.subscriptionId ?? null,
    filter.eventId ?? null,
    filter.eventType ?? null,
    filter.status ?? null,
    filter.createdFrom,
    filter.createdBefore ?? null,
  ];
}
