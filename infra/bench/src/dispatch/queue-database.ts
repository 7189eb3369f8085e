import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Pool } from 'pg';
import { createPgQueue, type DispatchConfig, type QueueStatus } from '@sluice/queue-core';
import { connectPool, onDatabase, urlOf } from '../databases.js';

export const itemType = 'BENCH';

/** As large as the context of a payment; pg-boss and graphile-worker get the same as the data of a job. */
export const context = {
  version: 1,
  paymentId: '0f8fad5b-d9cb-469f-a165-70867728950e',
  participantId: 'participant-0042',
  rail: 'SEPA',
  amount: { minorUnits: 125_000, currency: 'EUR' },
  destination: { iban: 'DE89370400440532013000' },
  reference: 'Invoice 2026-000042, thank you for your business',
  scheduledTime: '2026-05-01T16:00:00.000Z',
};

export const contextJson = JSON.stringify(context);

export const settings: DispatchConfig = {
  enabled: true,
  batchSize: 10_000,
  dispatchIntervalSecs: 5,
  jitterWindowMs: 0,
  preStartBufferMins: 0,
  maxDispatchRetries: 100,
  staleClaimThresholdMins: 60,
  execWorkflowType: 'BenchExecWorkflow',
  execTaskQueue: 'bench-exec',
};

export interface Seed {
  readonly name: string;
  readonly count: number;
  readonly status: QueueStatus;
  /** From now; negative is overdue. A claim or a finish of such an item has this age too. */
  readonly dueInMs: number;
}

const migratesWithinMs = 60_000;
const hourMs = 3_600_000;

export const overdue = -48 * hourMs;
export const future = 24 * hourMs;

/** A database with the tables of the dispatch queue, one item type and these items, vacuumed and analyzed. */
export async function createQueueDatabase(
  server: { readonly url: string; readonly repository: string },
  name: string,
  seeds: readonly Seed[],
): Promise<string> {
  await onDatabase(server.url, `CREATE DATABASE ${name}`);
  const url = urlOf(server.url, name);
  await migrate(server.repository, url);
  const pool = connectPool(url, 1);
  try {
    await createPgQueue(pool).writeConfig({ itemType, config: settings, by: 'bench' });
    await seedItems(pool, itemType, seeds);
    await pool.query('VACUUM (ANALYZE)');
  } finally {
    await pool.end();
  }
  return url;
}

export async function seedItems(pool: Pool, type: string, seeds: readonly Seed[]): Promise<void> {
  const statement = readFileSync(join(__dirname, 'sql', 'seed_items.sql'), 'utf8');
  for (const { name, count, status, dueInMs } of seeds) {
    const due = new Date(Date.now() + dueInMs);
    await pool.query(statement, [type, name, count, status, due, contextJson]);
  }
}

/** With the dispatcher's own command, since its service accepts no other schema. */
async function migrate(repository: string, url: string): Promise<void> {
  const command = join(repository, 'apps', 'dispatcher', 'dist', 'migrate.js');
  await promisify(execFile)(process.execPath, [command, 'up'], {
    env: { PG_URL: url },
    timeout: migratesWithinMs,
  });
}
