import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Pool } from 'pg';
import { createPgRateConfigStore, type RateConfig } from '@sluice/rate-window';
import { onDatabase, urlOf } from '../databases.js';

export const configName = 'bench';

const migratesWithinMs = 60_000;
const maxDelayMs = 366 * 24 * 3_600_000;

/** A database with the tables of slot-assigner, migrated by its own command. */
export async function createSlotDatabase(
  server: { readonly url: string; readonly repository: string },
  name: string,
): Promise<string> {
  await onDatabase(server.url, `CREATE DATABASE ${name}`);
  const url = urlOf(server.url, name);
  const command = join(server.repository, 'apps', 'slot-assigner', 'dist', 'migrate.js');
  await promisify(execFile)(process.execPath, [command, 'up'], {
    env: { PG_URL: url },
    timeout: migratesWithinMs,
  });
  return url;
}

export async function activate(
  pool: Pool,
  limit: { readonly maxPerWindow: number; readonly windowSizeMs: number },
): Promise<RateConfig> {
  const outcome = await createPgRateConfigStore(pool).activate({ configName, maxDelayMs, ...limit }, 'bench');
  if (outcome.kind !== 'activated') throw new Error(`the rate limit is ${outcome.kind}`);
  return outcome.config;
}

/** Slots of every window, by time, counted from the slots and not from counters. */
export async function readFill(pool: Pool): Promise<readonly number[]> {
  const { rows } = await pool.query<{ slots: number }>(
    'SELECT count(*)::integer AS slots FROM rate_limit_slot GROUP BY window_start ORDER BY window_start',
  );
  return rows.map(({ slots }) => slots);
}
