import { startNodeProcess } from './testing/node-process.js';
import type { NodeProcess } from './testing/node-process.js';
import { connectTestPool } from './testing/test-pool.js';
import { until } from './testing/until.js';
import { NOON } from './testing/wishes.js';

// So long a memory that whatever these nodes notice in time, they were told.
const variables = { PG_URL: process.env['PG_URL'] ?? '', SLUICE_CONFIG_CACHE_SECONDS: '60' };

describe('two nodes', () => {
  const pool = connectTestPool(process.env['PG_URL']);
  let one: NodeProcess;
  let other: NodeProcess;

  beforeAll(async () => {
    [one, other] = await Promise.all([startNodeProcess(variables), startNodeProcess(variables)]);
    // What a node knew before it began to listen it forgets then, and counts that as a flush.
    for (const node of [one, other]) await until('it listens', async () => (await heard(node, 'flush')) > 0);
  });
  afterAll(async () => {
    await Promise.all([one.kill(), other.kill()]);
    await pool.end();
  });

  async function post(node: NodeProcess, path: string, body?: unknown): Promise<Record<string, unknown>> {
    const response = await fetch(`${node.url}${path}`, {
      method: 'POST',
      ...(body === undefined
        ? {}
        : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(30_000),
    });
    expect(response.status).toBe(200);
    return (await response.json()) as Record<string, unknown>;
  }

  /** Sets it on one, and waits until the other has heard of it: a notice that comes later would look like a flush. */
  async function setConfig(configName: string, maxPerWindow: number): Promise<void> {
    const changes = await heard(other, 'changed');
    await post(one, '/admin/rate-limit/config', { configName, maxPerWindow, windowSize: 'PT4S' });
    await until('the other heard it', async () => (await heard(other, 'changed')) > changes);
  }
  const ask = (node: NodeProcess, configName: string, eventId: string) =>
    post(node, '/api/v1/slots', { configName, eventId, requestedTime: NOON });
  const misses = (node: NodeProcess) => node.metric('slot_config_lookups_total', 'result="miss"');
  const heard = (node: NodeProcess, kind: string) => node.metric('slot_config_notices_total', `"${kind}"`);

  it('both read their rate limits anew after a flush of one', async () => {
    await setConfig('flushed', 10);
    await ask(other, 'flushed', 'a');
    const before = await misses(other);
    await ask(other, 'flushed', 'b');
    expect(await misses(other)).toBe(before);

    const flushes = await heard(other, 'flush');
    expect(await post(one, '/admin/rate-limit/cache/flush')).toMatchObject({ announced: true });
    await until('the other heard it', async () => (await heard(other, 'flush')) > flushes);
    await ask(other, 'flushed', 'c');
    expect(await misses(other)).toBe(before + 1);
  });

  it('both know of a change that was made on one, so that nothing has to be placed twice', async () => {
    await setConfig('changed', 1);
    await ask(other, 'changed', 'a');
    await setConfig('changed', 2);
    const stale = await other.metric('slot_stale_config_total');
    const { delayMs } = await ask(other, 'changed', 'b');
    expect(delayMs).toBeLessThan(4_000);
    expect(await other.metric('slot_stale_config_total')).toBe(stale);
  });

  it('hear each other again after their connections were cut, and trust nothing from before', async () => {
    await setConfig('cut', 10);
    await ask(other, 'cut', 'a');
    const flushes = await heard(other, 'flush');
    const { rowCount } = await pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where application_name = 'slot-assigner-listener' and datname = current_database()`,
    );
    expect(rowCount).toBe(2);
    await until('the other listens again', async () => (await heard(other, 'flush')) > flushes);
    await setConfig('cut', 20);
  });

  it('stop in order when they are told to', async () => {
    expect(await Promise.all([one.stop(), other.stop()])).toEqual([0, 0]);
  });
});
