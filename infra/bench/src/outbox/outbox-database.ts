import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Pool, PoolClient } from 'pg';
import { createPgOutbox, outboxMigrations, type OutboxEntry } from '@sluice/outbox';
import { connectPool, onDatabase, urlOf } from '../databases.js';
import { entryOf, type Shape } from './shapes.js';

export const batchSize = 500;

/** A database with nothing but the tables of the outbox. */
export async function createOutboxDatabase(serverUrl: string, name: string): Promise<string> {
  const url = urlOf(serverUrl, name);
  const files = readdirSync(outboxMigrations.pg).sort();
  await onDatabase(serverUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`, `CREATE DATABASE ${name}`);
  await onDatabase(url, ...files.map((file) => readFileSync(join(outboxMigrations.pg, file), 'utf8')));
  return url;
}

export async function fillOutbox(url: string, shape: Shape, rows: number): Promise<void> {
  const pool = connectPool(url, 1);
  const outbox = createPgOutbox(pool);
  for (const batch of batchesOf(shape, rows)) {
    await inTransaction(pool, (client) => outbox.enqueue(client, batch));
  }
  await pool.query('VACUUM (ANALYZE)');
  await pool.query('CHECKPOINT');
  await pool.end();
}

export function batchesOf(shape: Shape, rows: number, size = batchSize): OutboxEntry[][] {
  const entries = Array.from({ length: rows }, (_, n) => entryOf(shape, n));
  return Array.from({ length: Math.ceil(rows / size) }, (_, n) => entries.slice(n * size, (n + 1) * size));
}

export async function inTransaction<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  } finally {
    client.release();
  }
}
