import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { QueryResult } from 'pg';
import { SlotStoreRefusedError, SlotStoreUnavailableError } from '../errors.js';

/** A pg Pool or client. */
export interface Queryable {
  query(text: string, values: unknown[]): Promise<QueryResult<Record<string, unknown>>>;
}

/** Reads one of the statements that lie beside this file. */
export function loadStatement(name: string): string {
  return readFileSync(join(__dirname, 'sql', 'pg', `${name}.sql`), 'utf8');
}

/** Runs a statement and tells a database that is away or too busy from one that refuses what it is given. */
export async function runStatement(db: Queryable, text: string, values: unknown[]): Promise<unknown[]> {
  try {
    const result = await db.query(text, values);
    return result.rows;
  } catch (error) {
    throw translate(error);
  }
}

// Classes 08 (connection), 53 (resources) and 57 (shutdown, statement timeout); lock timeout, deadlock and serialization.
const UNAVAILABLE_STATES = /^(08|53|57|55P03|40)/;
// Classes 22 (a value that cannot be stored) and 23 (a constraint).
const REFUSED_STATES = /^2[23]/;
const UNAVAILABLE_SYSTEM_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

function translate(error: unknown): unknown {
  if (typeof error !== 'object' || error === null) return error;
  const code = 'code' in error ? error.code : undefined;
  // What the driver itself says (no free connection in time, no answer in time, connection ended) carries no code.
  if (typeof code !== 'string') {
    return error instanceof Error && error.constructor === Error
      ? new SlotStoreUnavailableError(error)
      : error;
  }
  if (UNAVAILABLE_SYSTEM_CODES.has(code)) return new SlotStoreUnavailableError(error);
  if (code.length !== 5) return error;
  if (UNAVAILABLE_STATES.test(code)) return new SlotStoreUnavailableError(error);
  return REFUSED_STATES.test(code) ? new SlotStoreRefusedError(error) : error;
}
