import type { HealthViews } from '../api-ports.js';
import type { Database } from './database.js';
import { loadSql } from './sql.js';

interface HealthRow {
  failing_since: Date | null;
  last_success_at: Date | null;
  last_failure_at: Date | null;
  last_status_code: number | null;
  last_error_code: string | null;
  last_error_detail: string | null;
  delivered: number;
  retried: number;
  failed: number;
  duration_buckets: number[];
}

export function createPgHealthViews(database: Database): HealthViews {
  const sql = loadSql('read_subscription_health');
  return {
    async read(subscriptionId, since) {
      const rows = await database.query<HealthRow>(sql, [subscriptionId, since]);
      const [row] = rows;
      if (row === undefined) throw new Error('the health of a subscription answered no row');
      return {
        failingSince: row.failing_since,
        lastSuccessAt: row.last_success_at,
        lastFailureAt: row.last_failure_at,
        lastStatusCode: row.last_status_code,
        lastErrorCode: row.last_error_code,
        lastErrorDetail: row.last_error_detail,
        delivered: row.delivered,
        retried: row.retried,
        failed: row.failed,
        durationBuckets: row.duration_buckets,
      };
    },
  };
}
