import { Client, Pool } from 'pg';

const connectsWithinMs = 10_000;
/** Filling a table with millions of rows takes minutes on a small machine. */
const answersWithinMs = 1_800_000;

export function connectPool(url: string, connections: number): Pool {
  const pool = new Pool({
    connectionString: url,
    max: connections,
    connectionTimeoutMillis: connectsWithinMs,
    query_timeout: answersWithinMs,
    application_name: 'bench',
  });
  // A server that is stopped cuts idle connections; whoever uses one hears of it.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

/** Runs statements one after the other, outside any transaction. */
export async function onDatabase(url: string, ...statements: readonly string[]): Promise<void> {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: connectsWithinMs,
    query_timeout: answersWithinMs,
  });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

export function urlOf(serverUrl: string, database: string): string {
  const address = new URL(serverUrl);
  address.pathname = `/${database}`;
  return address.href;
}

/** A copy, file by file, which is ready in seconds also at millions of rows; then a quiet start for what is measured. */
export async function copyDatabase(serverUrl: string, from: string, to: string): Promise<string> {
  await onDatabase(
    serverUrl,
    `DROP DATABASE IF EXISTS ${to} WITH (FORCE)`,
    `CREATE DATABASE ${to} TEMPLATE ${from} STRATEGY FILE_COPY`,
    'CHECKPOINT',
  );
  return urlOf(serverUrl, to);
}

export async function dropDatabase(serverUrl: string, name: string): Promise<void> {
  await onDatabase(serverUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
}

export async function describePostgres(url: string): Promise<Record<string, string>> {
  const pool = connectPool(url, 1);
  try {
    const { rows } = await pool.query<{ name: string; value: string }>(
      `SELECT name, current_setting(name) AS value FROM pg_settings
        WHERE name IN ('server_version', 'fsync', 'synchronous_commit', 'shared_buffers', 'max_wal_size', 'autovacuum')`,
    );
    return Object.fromEntries(rows.map(({ name, value }) => [name, value]));
  } finally {
    await pool.end();
  }
}
