import type { TestEvents } from '../api-ports.js';
import type { Database } from './database.js';
import { loadSql } from './sql.js';

export function createPgTestEvents(database: Database): TestEvents {
  const sql = loadSql('insert_test_event');
  return {
    async insert({ tenantId, by }, { subscriptionId, id, type, source, occurredAt, body }) {
      const values = [tenantId, subscriptionId, id, type, source, occurredAt, body, by];
      const rows = await database.query<{ id: string }>(sql, values);
      return rows.map((row) => ({ deliveryId: row.id }))[0];
    },
  };
}
