import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Pool, QueryResultRow } from 'pg';
import { toStoreError } from './pg-errors.js';

export const statementNames = [
  'cancel_items',
  'claim_batch',
  'compare_contexts',
  'count_finished',
  'enqueue_items',
  'exhaust_items',
  'find_audit_trail',
  'find_item',
  'list_changes',
  'list_exhausted',
  'mark_dispatched',
  'measure_depth',
  'measure_minutes',
  'prune_audit',
  'purge_finished',
  'read_configs',
  'read_statuses',
  'record_action',
  'record_cycle',
  'release_items',
  'requeue_items',
  'return_to_ready',
  'switch_dispatch',
  'write_config',
] as const;

export type StatementName = (typeof statementNames)[number];

/** A pool, or a client inside a transaction of its owner. */
export type PgDatabase = Pick<Pool, 'query'>;

export type RunStatement = <R extends QueryResultRow>(name: StatementName, values: unknown[]) => Promise<R[]>;

/** Statements are sent unnamed, so PostgreSQL plans each with the values given: a limit of 50 is planned as 50. */
export function loadStatements(db: PgDatabase): RunStatement {
  const folder = join(__dirname, 'sql', 'pg');
  const texts = new Map(
    statementNames.map((name) => [name, readFileSync(join(folder, `${name}.sql`), 'utf8')]),
  );
  return async <R extends QueryResultRow>(name: StatementName, values: unknown[]) => {
    try {
      const result = await db.query<R>(texts.get(name) ?? '', values);
      return result.rows;
    } catch (error) {
      throw toStoreError(name, error);
    }
  };
}
