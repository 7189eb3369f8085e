import { randomBytes, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createPgOutbox } from '@sluice/outbox';
import { createLogger, parseEnvironment } from '@sluice/service-kit';
import { createApi, createApiKey, createKeyRing } from '@sluice/service-kit/http';
import { inTransaction } from '@sluice/service-kit/pg';
import { Registry } from 'prom-client';
import { Webhook } from 'standardwebhooks';
import { topicsCheck } from './adapters/kafka-client.js';
import { environment } from './config.js';
import { connect } from './connections.js';
import { createRoutes } from './http/routes.js';
import { createMetrics } from './metrics.js';
import { createUseCases } from './use-cases.js';
import { createWorkers } from './workers.js';

const testName = process.env.TEST_NAME ?? 'test';
const sinkUrl = process.env.SINK_URL ?? '';
const topics = { topic: `${testName}.events`, deadLetterTopic: `${testName}.events.dlq` };
const log = createLogger({ service: 'test', level: 'silent' });
const registry = new Registry();
const stop = new AbortController();

interface SinkLine {
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly status: number;
}

const config = readConfig();
const metrics = createMetrics(registry);
const outside = connect({ config, log, metrics });
const parts = { ...outside, topics, metrics, log };
const useCases = createUseCases(parts);
const outbox = createPgOutbox(outside.pool);
const { key, entry } = createApiKey('test', randomBytes);
let running: Promise<unknown>;
let server: Server;

function readConfig() {
  const parsed = parseEnvironment(environment, {
    SLUICE_ENV: 'development',
    PG_URL: process.env.PG_URL,
    KAFKA_BROKERS: process.env.KAFKA_BROKERS,
    REDIS_URL: process.env.REDIS_URL,
    SLUICE_EVENTS_TOPIC: topics.topic,
    SLUICE_CONSUMER_GROUP: testName,
    SLUICE_SECRETS_KEY: randomBytes(32).toString('base64'),
    SLUICE_ALLOWED_PRIVATE_HOSTS: '127.0.0.1',
    SLUICE_POLL_INTERVAL_SECONDS: '0.1',
    SLUICE_DRAIN_SECONDS: '10',
  });
  if (parsed.kind === 'invalid') throw new Error(JSON.stringify(parsed.problems));
  return parsed.config;
}

beforeAll(async () => {
  await topicsCheck(outside.kafka, { ...topics, partitions: 2 }).check();
  const scopes = ['events:write', 'events:read', 'subscriptions:write', 'subscriptions:read'];
  const keys = createKeyRing([{ ...entry, scopes }], 'production');
  server = createServer(createApi({ name: 'test', log, registry, keys, routes: createRoutes(useCases) }));
  server.listen(0, '127.0.0.1');
  const workers = createWorkers(config, parts, useCases);
  running = Promise.all(workers.map((worker) => worker.run(stop.signal, () => undefined)));
  // A worker that fails ends the tests at their next wait instead of at their time limit.
  running.catch(() => undefined);
});

afterAll(async () => {
  stop.abort();
  await running;
  server.close();
  await outside.sink.close();
  for (const closable of outside.close) await closable.close();
});

async function until<T>(find: () => Promise<T | undefined>): Promise<T> {
  const deadline = Date.now() + 40_000;
  for (;;) {
    const found = await find();
    if (found !== undefined) return found;
    if (Date.now() > deadline) throw new Error('not found in time');
    await Promise.race([sleep(50), running]);
  }
}

async function call(method: string, path: string, body?: string | object) {
  const { port } = server.address() as AddressInfo;
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>,
  };
}

/** A subscription to event types of this test alone, at a path of this test alone. */
async function subscribe(behaviours: object[] = []) {
  const name = randomUUID();
  const path = `/hooks/${testName}/${name}`;
  await fetch(`${sinkUrl}/control/behaviours?scope=${name}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(behaviours.map((behaviour) => ({ path, ...behaviour }))),
  });
  const { status, body } = await call('POST', '/subscriptions', {
    url: sinkUrl + path,
    eventTypes: [`${name}.*`],
  });
  expect(status).toBe(201);
  return { type: `${name}.happened`, path, id: String(body['id']), secret: String(body['secret']) };
}

async function ledger(path: string): Promise<SinkLine[]> {
  const text = await (await fetch(`${sinkUrl}/ledger?path=${path}`)).text();
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as SinkLine);
}

const arrived = (path: string, count: number) =>
  until(async () => {
    const lines = await ledger(path);
    return lines.length >= count ? lines : undefined;
  });

const finished = (eventId: string) =>
  until(async () => {
    const { status, body } = await call('GET', `/events/${eventId}`);
    return status === 200 && body['status'] !== 'pending' ? body : undefined;
  });

async function outcomes(eventId: string): Promise<unknown[]> {
  const { body } = await call('GET', `/events/${eventId}/attempts`);
  return (body['attempts'] as { outcome: string; statusCode: number | null }[]).map((one) => [
    one.outcome,
    one.statusCode,
  ]);
}

describe('an event', () => {
  it('goes through Kafka to one delivery, signed over the very bytes that came in', async () => {
    const { type, path, secret } = await subscribe();
    const sent = `{"type":"${type}", "source":"shop","data":{"amount":1.10,"big":9007199254740993}}`;
    const { status, body, headers } = await call('POST', '/events', sent);
    expect(status).toBe(202);
    const id = String(body['id']);
    expect(headers.get('location')).toBe(`/events/${id}`);

    const [line] = await arrived(path, 1);
    expect(line?.body).toMatch(new RegExp(`^{"id":"${id}","time":"[^"]+",`));
    expect(line?.body.endsWith(sent.slice(1))).toBe(true);
    expect(new Webhook(secret).verify(line?.body ?? '', line?.headers ?? {})).toMatchObject({ id, type });
    expect(line?.headers['webhook-id']).toBe(id);

    const event = await finished(id);
    expect(event).toMatchObject({
      status: 'delivered',
      body: line?.body,
      deliveries: [{ status: 'delivered', attempts: 1 }],
    });
    expect(await outcomes(id)).toEqual([['delivered', 200]]);
    expect(await ledger(path)).toHaveLength(1);
  });

  it('is stored and delivered once, however often its id comes', async () => {
    const { type, path } = await subscribe();
    const id = `evt-${randomUUID()}`;
    const event = { id, type, source: 'shop', time: '2025-06-01T16:00:00Z', data: {} };
    for (let count = 0; count < 3; count += 1) await call('POST', '/events', event);
    const last = { ...event, id: `${id}-last` };
    await call('POST', '/events', { ...last, subject: id });
    await finished(id);
    await finished(last.id);
    expect((await ledger(path)).map(({ headers }) => headers['webhook-id']).sort()).toEqual([id, last.id]);
  });

  it('that nobody wants is stored and done', async () => {
    const { body } = await call('POST', '/events', { type: randomUUID(), source: 'shop', data: {} });
    expect(await finished(String(body['id']))).toMatchObject({ status: 'delivered', deliveries: [] });
  });

  it('comes from the outbox in the order of its payment', async () => {
    const { type, path } = await subscribe();
    const paymentId = randomUUID();
    const ids = ['accepted', 'processing'].map((step) => `evt-${paymentId}-payment.${step}`);
    await inTransaction(outside.pool, (client) =>
      outbox.enqueue(
        client,
        ids.map((id) => ({
          instructionId: id,
          participantId: `event:${paymentId}`,
          idempotencyKey: id,
          railType: 'EVENT',
          payload: { id, type, source: 'sluice', time: new Date().toISOString(), data: { paymentId } },
        })),
      ),
    );
    outbox.announce();
    await arrived(path, 2);
    for (const id of ids) await finished(id);
    const { rows } = await outside.pool.query(
      'SELECT id, ordering_key FROM webhook_events WHERE ordering_key = $1 ORDER BY kafka_offset',
      [`event:${paymentId}`],
    );
    expect(rows.map(({ id }: { id: string }) => id)).toEqual(ids);
    await until(async () =>
      (await outbox.findInstruction(ids[1] ?? ''))?.state === 'DISPATCHED' ? true : undefined,
    );
  });
});

describe('a delivery', () => {
  it('is tried again after a 500, with the same id and a signature of its own time', async () => {
    const { type, path, secret } = await subscribe([{ status: 500, body: 'broken', times: 1 }]);
    const { body } = await call('POST', '/events', { type, source: 'shop', data: {} });
    const event = await finished(String(body['id']));
    expect(event).toMatchObject({ status: 'delivered', deliveries: [{ attempts: 2 }] });
    const lines = await ledger(path);
    expect(lines.map(({ status }) => status)).toEqual([500, 200]);
    expect(new Set(lines.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    for (const line of lines) new Webhook(secret).verify(line.body, line.headers);
    expect(await outcomes(String(body['id']))).toEqual([
      ['retry', 500],
      ['delivered', 200],
    ]);
  });

  it('fails at once when the endpoint refuses it, and holds up no other subscription', async () => {
    const refusing = await subscribe([{ status: 404 }]);
    const taking = `/hooks/${testName}/${randomUUID()}`;
    await call('POST', '/subscriptions', { url: sinkUrl + taking, eventTypes: [refusing.type] });
    const { body } = await call('POST', '/events', { type: refusing.type, source: 'shop', data: {} });
    const event = await finished(String(body['id']));
    expect(event['status']).toBe('failed');
    const states = event['deliveries'] as { status: string; attempts: number }[];
    expect(states.map(({ status, attempts }) => `${status} ${attempts}`).sort()).toEqual([
      'delivered 1',
      'failed 1',
    ]);
  });

  it('that meets a 410 disables its subscription, which then gets nothing more', async () => {
    const { type, path, id } = await subscribe([{ status: 410 }]);
    const first = await call('POST', '/events', { type, source: 'shop', data: {} });
    await finished(String(first.body['id']));
    const { body } = await call('GET', '/subscriptions?limit=200');
    const listed = (body['subscriptions'] as { id: string }[]).find((one) => one.id === id);
    expect(listed).toMatchObject({ status: 'disabled', disabledReason: 'GONE' });
    const second = await call('POST', '/events', { type, source: 'shop', data: {} });
    expect(await finished(String(second.body['id']))).toMatchObject({ deliveries: [] });
    expect(await ledger(path)).toHaveLength(1);
  });
});

describe('a message that is no event', () => {
  it('becomes a dead letter with its bytes, its headers and the reason, and the intake goes on', async () => {
    const { type, path } = await subscribe();
    const bad = Buffer.from([0x7b, 0xff, 0x00]);
    await outside.sink.send([{ topic: topics.topic, key: 'bad', value: bad, headers: { trace: 'abc' } }]);
    const { body } = await call('POST', '/events', { type, source: 'shop', data: {}, subject: 'bad' });
    await finished(String(body['id']));
    await arrived(path, 1);

    const consumer = outside.kafka.consumer({ groupId: `${testName}-dlq` });
    await consumer.connect();
    await consumer.subscribe({ topics: [topics.deadLetterTopic], fromBeginning: true });
    const letters: { key: string; value: Buffer | null; headers: Record<string, string> }[] = [];
    await consumer.run({
      eachMessage: async ({ message }) => {
        const headers = Object.entries(message.headers ?? {}).map(([name, value]) => [name, String(value)]);
        letters.push({
          key: String(message.key),
          value: message.value,
          headers: Object.fromEntries(headers) as Record<string, string>,
        });
      },
    });
    const letter = await until(async () => letters.find(({ key: found }) => found === 'bad'));
    await consumer.disconnect();
    expect(letter.value).toEqual(bad);
    expect(letter.headers).toMatchObject({
      trace: 'abc',
      dlq_reason: 'NOT_UTF8',
      dlq_source_topic: topics.topic,
    });
    expect(letter.headers['dlq_source_offset']).toMatch(/^\d+$/);
  });
});

describe('the API', () => {
  it('answers clearly when something is wrong', async () => {
    await expect(call('GET', '/events/unknown')).resolves.toMatchObject({
      status: 404,
      body: { code: 'EVENT_NOT_FOUND' },
    });
    await expect(call('DELETE', '/subscriptions/unknown')).resolves.toMatchObject({
      status: 404,
      body: { code: 'SUBSCRIPTION_NOT_FOUND' },
    });
    const create = (changes: object) =>
      call('POST', '/subscriptions', { url: 'https://example.com/', eventTypes: ['*'], ...changes });
    await expect(create({ url: 'https://10.0.0.1/' })).resolves.toMatchObject({
      status: 422,
      body: { code: 'URL_REFUSED' },
    });
    await expect(create({ url: 'http://localhost/' })).resolves.toMatchObject({
      status: 422,
      body: { code: 'URL_REFUSED' },
    });
    await expect(create({ secret: 'whsec_c2hvcnQ=' })).resolves.toMatchObject({
      status: 422,
      body: { code: 'SECRET_REFUSED' },
    });
    await expect(create({ eventTypes: ['pay*'] })).resolves.toMatchObject({ status: 422 });
    await expect(
      call('POST', '/events', { type: 'a', source: 's', data: {}, extra: 1 }),
    ).resolves.toMatchObject({ status: 422 });
    await expect(call('GET', '/health')).resolves.toMatchObject({ status: 200, body: { status: 'ok' } });
  });

  it('shows a secret once, keeps it encrypted, and takes one that the customer brings', async () => {
    const secret = `whsec_${randomBytes(24).toString('base64')}`;
    const url = `${sinkUrl}/hooks/${testName}/own`;
    const { body } = await call('POST', '/subscriptions', { url, eventTypes: ['a.b', 'a.b'], secret });
    expect(body).toMatchObject({ secret, eventTypes: ['a.b'] });
    const list = await call('GET', '/subscriptions?limit=200');
    expect(JSON.stringify(list.body)).not.toContain('whsec_');
    const { rows } = await outside.pool.query<{ sealed_secret: Buffer }>(
      'SELECT sealed_secret FROM webhook_subscriptions WHERE id = $1',
      [body['id']],
    );
    expect(rows[0]?.sealed_secret.includes(Buffer.from(secret.slice(6), 'base64'))).toBe(false);
    await expect(call('DELETE', `/subscriptions/${String(body['id'])}`)).resolves.toMatchObject({
      status: 204,
    });
  });
});
