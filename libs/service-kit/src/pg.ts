/**
 * PostgreSQL: a pool with limits, transactions whose outcome is never guessed, and the readiness check.
 *
 *   const pool = connectPg({ url: config.PG_URL, applicationName: 'demo', log });
 *   await inTransaction(pool, async (client) => {
 *     await client.query(insertThing, [id]);
 *     await client.query(insertEvent, [id]);
 *   });
 */
export { connectPg, inTransaction, pgDependency } from './adapters/pg-pool.js';
export type { PgOptions, Pool, PoolClient } from './adapters/pg-pool.js';
export { OutcomeUnknownError, TransactionAbortedError, sqlState } from './adapters/pg-errors.js';
