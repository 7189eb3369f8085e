import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Queryable } from '../ports.js';

const names = [
  'announce_work',
  'claim_due_heads',
  'enqueue_entries',
  'find_instruction',
  'list_attempts',
  'listen_for_work',
  'measure_depth',
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
