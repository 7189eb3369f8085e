import { randomBytes, randomUUID } from 'node:crypto';
import { createLogger } from '@sluice/service-kit';
import { connectPg } from '@sluice/service-kit/pg';
import type { Pool } from '@sluice/service-kit/pg';
import { connectKafka } from './adapters/kafka-client.js';
import { createPositionReader } from './adapters/kafka-positions.js';
import { startRelayerProcess } from './testing/relayer-process.js';
import type { RelayerProcess } from './testing/relayer-process.js';
import { openHook } from './testing/sink.js';
import type { SinkLine } from './testing/sink.js';
import { until } from './testing/until.js';

const log = createLogger({ service: 'test', level: 'silent' });
const name = process.env.TEST_NAME ?? 'test';
const sinkUrl = process.env.SINK_URL ?? '';
const topic = `${name}.events`;
const variables = {
  SLUICE_EVENTS_TOPIC: topic,
  SLUICE_EVENTS_PARTITIONS: '2',
  SLUICE_CONSUMER_GROUP: name,
  SLUICE_SECRETS_KEY: randomBytes(32).toString('base64'),
  SLUICE_POLL_INTERVAL_SECONDS: '0.1',
  SLUICE_DRAIN_SECONDS: '8',
  SLUICE_SUBSCRIPTION_CONCURRENCY: '100',
  SLUICE_SUBSCRIPTION_RATE: '10000',
};
/** A group waits some seconds for a member that was killed. */
jest.setTimeout(150_000);

let pool: Pool;
let relayer: RelayerProcess;

beforeAll(() => {
  pool = connectPg({ url: process.env.PG_URL ?? '', applicationName: 'test', log });
});
beforeEach(async () => {
  relayer = await startRelayerProcess(variables);
});
afterEach(() => relayer.end('SIGTERM'));
afterAll(() => pool.end());

const post = async (path: string, body: object): Promise<Record<string, unknown>> => {
  const response = await fetch(relayer.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as Record<string, unknown>;
};

async function subscribe() {
  const hook = openHook(sinkUrl, name);
  const type = `t${randomUUID()}`;
  await post('/subscriptions', { url: hook.url, eventTypes: [type] });
  return { hook, type };
}

/** The ids of events that were accepted; an offer that broke off was not. */
async function offer(type: string, count: number): Promise<string[]> {
  const offers = Array.from({ length: count }, () =>
    post('/events', { type, source: 'test', data: {} }).then(({ id }) => String(id)),
  );
  const settled = await Promise.allSettled(offers);
  return settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
}

const idsOf = (lines: readonly SinkLine[]) => lines.map(({ headers }) => headers['webhook-id'] ?? '');

/** What a killed sender had in flight comes back when its lease ends; nobody waits for that here. */
const endLeases = () =>
  pool.query(
    `UPDATE webhook_deliveries SET lease_until = now() - interval '1 second' WHERE status = 'in_flight'`,
  );

describe('kill -9', () => {
  it('guarantee 2: after the 200 and before the record, repeats the delivery once, under the same webhook-id', async () => {
    const { hook, type } = await subscribe();
    // The request is in the sink's ledger at once, and its answer comes when nobody is there to hear it.
    await hook.behave({ delayMs: 3_000, times: 1 });
    const [id] = await offer(type, 1);
    await hook.arrived(1);
    await relayer.end('SIGKILL');
    relayer = await startRelayerProcess(variables);
    await endLeases();
    const lines = await hook.arrived(2);
    expect(idsOf(lines)).toEqual([id, id]);
    expect(new Set(lines.map(({ body }) => body)).size).toBe(1);
    await until('the delivery is on record', async () => {
      const { rows } = await pool.query(
        'SELECT 1 FROM webhook_deliveries WHERE event_id = $1 AND status = $2',
        [id, 'delivered'],
      );
      return rows.length === 1 ? true : undefined;
    });
    const { rows } = await pool.query<{ outcome: string }>(
      'SELECT outcome FROM webhook_delivery_attempts WHERE event_id = $1 ORDER BY id',
      [id],
    );
    expect(rows.map(({ outcome }) => outcome)).toEqual(['lease_expired', 'delivered']);
    expect(await hook.received()).toHaveLength(2);
  });

  it('guarantee 3: between the storing of events and the commit of their offsets, loses none and doubles none', async () => {
    const { hook, type } = await subscribe();
    const ids = await offer(type, 20);
    await hook.arrived(20);
    await relayer.end('SIGKILL');
    // The group stands where it would stand if the kill had come before the commit: at the beginning.
    const kafka = connectKafka({
      brokers: (process.env.KAFKA_BROKERS ?? '').split(','),
      clientId: name,
      log,
    });
    const admin = kafka.admin();
    await admin.connect();
    await until('the dead member has left the group', () =>
      admin.resetOffsets({ groupId: name, topic, earliest: true }).then(
        () => true,
        () => undefined,
      ),
    );
    await admin.disconnect();
    relayer = await startRelayerProcess(variables);
    await endLeases();
    const positions = createPositionReader({ kafka, topic, groupId: name });
    await until('everything has been taken in again', async () =>
      (await positions.read()).every(({ committed, end }) => committed >= end) ? true : undefined,
    );
    await positions.close();
    const { rows } = await pool.query<{ events: number; deliveries: number }>(
      `SELECT (SELECT count(*)::integer FROM webhook_events WHERE type = $1) AS events,
              (SELECT count(*)::integer FROM webhook_deliveries WHERE event_type = $1) AS deliveries`,
      [type],
    );
    expect(rows).toEqual([{ events: 20, deliveries: 20 }]);
    expect(new Set(idsOf(await hook.received()))).toEqual(new Set(ids));
  });

  it('under load loses nothing that was accepted, and repeats only under the same webhook-id', async () => {
    const { hook, type } = await subscribe();
    const offered = offer(type, 300);
    await hook.arrived(20);
    await relayer.end('SIGKILL');
    const ids = await offered;
    relayer = await startRelayerProcess(variables);
    await endLeases();
    await until('every accepted event has arrived', async () => {
      const arrived = new Set(idsOf(await hook.received()));
      return ids.every((id) => arrived.has(id)) ? true : undefined;
    });
  });
});

describe('SIGTERM', () => {
  it('guarantee 14: under load loses nothing, repeats nothing, and ends in time', async () => {
    const { hook, type } = await subscribe();
    await hook.behave({ delayMs: 100 });
    const ids = await offer(type, 200);
    await hook.arrived(20);
    const began = performance.now();
    expect(await relayer.end('SIGTERM')).toBe(0);
    // 8 s to drain and 3 s to close connections are what it was given.
    expect(performance.now() - began).toBeLessThan(11_000);
    const { rows } = await pool.query<{ count: number }>(
      `SELECT count(*)::integer AS count FROM webhook_deliveries WHERE event_type = $1 AND status = 'in_flight'`,
      [type],
    );
    expect(rows).toEqual([{ count: 0 }]);
    relayer = await startRelayerProcess(variables);
    await until('every event has arrived', async () =>
      new Set(idsOf(await hook.received())).size === ids.length ? true : undefined,
    );
    expect(idsOf(await hook.received()).sort()).toEqual([...ids].sort());
  });
});
