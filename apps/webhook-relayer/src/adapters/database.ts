import { inTransaction, sqlState } from '@sluice/service-kit/pg';
import type { Pool, PoolClient } from '@sluice/service-kit/pg';
import { StoreUnavailableError } from '../store-unavailable.js';

export interface Queries {
  query<Row extends object>(sql: string, values: readonly unknown[]): Promise<readonly Row[]>;
}

/** The database as the API uses it: when it is away, every store says so in the same way. */
export interface Database extends Queries {
  transaction<T>(work: (queries: Queries) => Promise<T>): Promise<T>;
}

export function createDatabase(pool: Pool): Database {
  return {
    query: (sql, values) => reached(queriesOn(pool).query(sql, values)),
    transaction: (work) => reached(inTransaction(pool, (client) => work(queriesOn(client)))),
  };
}

function queriesOn(connection: Pool | PoolClient): Queries {
  return {
    async query<Row extends object>(sql: string, values: readonly unknown[]): Promise<readonly Row[]> {
      const { rows } = await connection.query<Row>(sql, [...values]);
      return rows;
    },
  };
}

async function reached<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw isPassing(error) ? new StoreUnavailableError(error) : error;
  }
}

// SQLSTATE classes whose failures pass by themselves: connection, transaction rollback, resources, operator, system.
const PASSING = new Set(['08', '40', '53', '55', '57', '58']);

/** What has no SQLSTATE never reached the server, or lost it on the way. */
function isPassing(error: unknown): boolean {
  const state = sqlState(error);
  return state === undefined || PASSING.has(state.slice(0, 2));
}
