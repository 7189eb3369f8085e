import type { Pool } from '@sluice/service-kit/pg';
import type { SubscriptionStore } from '../ports.js';
import { loadSql } from './sql.js';

interface SubscriptionRow {
  id: string;
  url: string;
  event_types: string[];
  status: 'active' | 'disabled';
  ended_reason: string | null;
  ended_at: Date | null;
  created_at: Date;
}

export function createPgSubscriptions(pool: Pool): SubscriptionStore {
  const sql = {
    insert: loadSql('insert_subscription'),
    list: loadSql('list_subscriptions'),
    remove: loadSql('delete_subscription'),
  };
  return {
    async create({ id, tenantId, url, eventTypes, sealedSecret }) {
      const { rows } = await pool.query<{ created_at: Date }>(sql.insert, [
        id,
        tenantId,
        url,
        eventTypes,
        sealedSecret,
      ]);
      const [row] = rows;
      if (row === undefined) throw new Error('the insert of a subscription answered no row');
      return { createdAt: row.created_at };
    },

    async list(tenantId, { after, limit }) {
      const { rows } = await pool.query<SubscriptionRow>(sql.list, [tenantId, after, limit]);
      return rows.map((row) => ({
        id: row.id,
        url: row.url,
        eventTypes: row.event_types,
        status: row.status,
        endedReason: row.ended_reason,
        endedAt: row.ended_at,
        createdAt: row.created_at,
      }));
    },

    async remove(tenantId, id) {
      const { rowCount } = await pool.query(sql.remove, [tenantId, id]);
      return rowCount === 1;
    },
  };
}
