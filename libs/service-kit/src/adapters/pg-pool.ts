import { Pool } from 'pg';
import type { PoolClient } from 'pg';
import type { Logger } from '../log/logger.js';
import type { Dependency } from '../service.js';
import { OutcomeUnknownError, TransactionAbortedError, isRefusal } from './pg-errors.js';

export type { Pool, PoolClient } from 'pg';

export interface PgOptions {
  readonly url: string;
  /** Shown in `pg_stat_activity`. */
  readonly applicationName: string;
  /** Default 10. */
  readonly poolSize?: number;
  /** Default 15 s. */
  readonly statementTimeoutMs?: number;
  readonly log: Logger;
}

/** A pool that waits for nothing without a limit. It connects when it is first used, and again after failures. */
export function connectPg(options: PgOptions): Pool {
  const statementTimeoutMs = options.statementTimeoutMs ?? 15_000;
  const pool = new Pool({
    connectionString: options.url,
    application_name: options.applicationName,
    max: options.poolSize ?? 10,
    connectionTimeoutMillis: 5000,
    idleTimeoutMillis: 30_000,
    statement_timeout: statementTimeoutMs,
    // The server's limit does not help when the server has vanished; ours comes a little later.
    query_timeout: statementTimeoutMs + 2000,
    idle_in_transaction_session_timeout: statementTimeoutMs * 2,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  });
  pool.on('error', (err) => options.log.warn({ err }, 'an idle connection to PostgreSQL was lost'));
  // A client that is checked out and between two queries has no other listener, and an 'error' without one ends the
  // process. The next query on it fails with the same reason.
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

export function pgDependency(pool: Pool): Dependency {
  return {
    name: 'postgres',
    async check(signal) {
      signal.throwIfAborted();
      await pool.query('SELECT 1');
    },
  };
}

/**
 * Does the work in one transaction. Whatever fails, the error of the work is what is thrown; a connection that could
 * not be rolled back is thrown away.
 */
export async function inTransaction<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query('BEGIN');
    const result = await work(client);
    await commit(client);
    return result;
  } catch (error) {
    broken = error instanceof OutcomeUnknownError ? error : await rollBack(client);
    throw error;
  } finally {
    client.release(broken);
  }
}

async function commit(client: PoolClient): Promise<void> {
  let command: string;
  try {
    ({ command } = await client.query('COMMIT'));
  } catch (error) {
    throw isRefusal(error) ? error : new OutcomeUnknownError(error);
  }
  if (command !== 'COMMIT') throw new TransactionAbortedError();
}

async function rollBack(client: PoolClient): Promise<Error | undefined> {
  try {
    await client.query('ROLLBACK');
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
