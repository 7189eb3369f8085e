import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'pg';
import { createPgOutboxListener } from './adapters/pg-listener.js';
import { createPgOutbox } from './adapters/pg-outbox.js';
import { createRelay } from './relay.js';

const queriesPerSecond = 20;
const observedMs = 5_000;

it('costs the database under 20 queries a second when there is nothing to do', async () => {
  const pool = new Pool({ connectionString: process.env['PG_URL'], max: 3, application_name: 'idle' });
  const outbox = createPgOutbox(pool);
  let queries = 0;
  pool.on('acquire', () => (queries += 1));
  const stop = new AbortController();
  const destination = {
    recognisesKeys: true,
    send: () => Promise.reject(new Error('nothing is to be sent')),
  };
  const relay = createRelay({ name: 'idle', store: outbox, destinations: { IDLE: destination } });
  const listener = createPgOutboxListener({
    url: process.env['PG_URL'] ?? '',
    applicationName: 'idle',
    onWake: () => relay.wake(),
  });
  const running = [relay.run(stop.signal, () => undefined), listener.run(stop.signal, () => undefined)];
  const transactions = async (): Promise<number> => {
    const { rows } = await pool.query<{ count: string }>(
      'SELECT xact_commit + xact_rollback AS count FROM pg_stat_database WHERE datname = current_database()',
    );
    return Number(rows[0]?.count);
  };
  const before = await transactions();
  const beganAt = performance.now();
  while (performance.now() - beganAt < observedMs) {
    await outbox.reap({ railTypes: ['IDLE'], limit: 100 });
    await sleep(1_000);
  }
  const seconds = (performance.now() - beganAt) / 1_000;
  const inAll = (await transactions()) - before;
  stop.abort();
  await Promise.all(running);
  await pool.end();
  expect(queries / seconds).toBeLessThan(queriesPerSecond);
  expect(inAll / seconds).toBeLessThan(queriesPerSecond);
  expect(queries).toBeGreaterThan(0);
});
