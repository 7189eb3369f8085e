import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Queryable } from '../ports.js';

const names = [
  'announce_work',
  'claim_due_runs',
  'count_stray_attempts',
  'enqueue_entries',
  'find_instruction',
  'find_participant',
  'list_attempts',
  'list_dead_letters',
  'list_in_flight',
  'listen_for_work',
  'maintain_attempts',
  'measure_depth',
  'operate_on_dead_letters',
  'probe_connection',
  'reap_expired_leases',
  'renew_leases',
  'settle_claims',
] as const;

export type StatementName = (typeof names)[number];

export type Run = <Row>(db: Queryable, name: StatementName, values: unknown[]) => Promise<Row[]>;

/** Reads every statement once. They run prepared, under their own name. */
export function loadStatements(): Run {
  const texts = new Map<StatementName, string>();
  for (const name of names) {
    texts.set(name, readFileSync(join(__dirname, 'sql', 'pg', `${name}.sql`), 'utf8'));
  }
  return async <Row>(db: Queryable, name: StatementName, values: unknown[]) => {
    const text = texts.get(name) ?? '';
    const { rows } = await db.query({ name: `outbox_${name}`, text, values });
    return rows as Row[];
  };
}
