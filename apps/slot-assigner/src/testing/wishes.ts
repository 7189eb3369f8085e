import type { Pool } from '@sluice/service-kit/pg';
import type { ApiAnswer, NodeApi } from './node-api.js';

export const NOON = '2035-06-01T12:00:00Z';

export interface EventWish {
  readonly eventId: string;
  readonly requestedTime: string;
}

/** Events that all want the same instant. */
export function herd(count: number, prefix = 'pay'): EventWish[] {
  return Array.from({ length: count }, (_, index) => ({
    eventId: `${prefix}-${index}`,
    requestedTime: NOON,
  }));
}

/** Ten events every four seconds unless told otherwise. */
export function setConfig(
  api: NodeApi,
  configName: string,
  change: Record<string, unknown> = {},
): Promise<ApiAnswer> {
  const body = { configName, maxPerWindow: 10, windowSize: 'PT4S', ...change };
  return api.call('POST /admin/rate-limit/config', { body });
}

/** Keeps everyone from placing events under the config until the returned function is called. */
export async function holdConfig(pool: Pool, configName: string): Promise<() => Promise<void>> {
  const client = await pool.connect();
  await client.query('begin');
  await client.query('select from rate_limit_config where config_name = $1 for update', [configName]);
  return async () => {
    await client.query('commit');
    client.release();
  };
}

/** Slots of each window of a config, by time, counted from the slots themselves. */
export async function windowCounts(pool: Pool, configName: string): Promise<number[]> {
  const { rows } = await pool.query<{ slots: number }>(
    `select count(*)::integer as slots from rate_limit_slot where config_name = $1
      group by window_start order by window_start`,
    [configName],
  );
  return rows.map(({ slots }) => slots);
}
