import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Registry } from 'prom-client';
import { createPgRateConfigStore, createPgSlotStore } from '@sluice/rate-window';
import { createLogger } from '@sluice/service-kit';
import { createApi, createApiKey, createKeyRing } from '@sluice/service-kit/http';
import { connectPg } from '@sluice/service-kit/pg';
import { cacheConfigs } from './cache-configs.js';
import { createRoutes } from './http/routes.js';
import { createMetrics } from './metrics.js';

const NOON = '2035-06-01T12:00:00Z';
const FULL = ['slots:write', 'slots:read', 'rate-limit:admin', 'rate-limit:read'];
const log = createLogger({ service: 'slot-assigner-test', level: 'fatal' });
const pool = connectPg({ url: process.env['PG_URL'] ?? '', applicationName: 'slot-assigner-test', log });
const operator = createApiKey('operator');
const producer = createApiKey('producer');
const nodes: Node[] = [];

interface Node {
  readonly url: string;
  readonly registry: Registry;
  readonly server: Server;
}

/** One node of the service, as main.ts composes it. */
async function startNode(options: { queueLimit?: number; db?: typeof pool } = {}): Promise<Node> {
  const registry = new Registry();
  const observer = createMetrics(registry);
  const db = options.db ?? pool;
  const store = createPgRateConfigStore(db);
  const configs = cacheConfigs({ configs: store, ttlMs: 5_000, now: () => performance.now(), observer });
  const routes = createRoutes({
    slots: createPgSlotStore(db),
    store,
    configs,
    queueLimit: options.queueLimit ?? 20_000,
    observer,
  });
  const keys = createKeyRing(
    [
      { ...operator.entry, scopes: FULL },
      { ...producer.entry, scopes: ['slots:write'] },
    ],
    'production',
  );
  const server = createServer(createApi({ name: 'slot-assigner', log, registry, keys, routes }));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const node = { url: `http://127.0.0.1:${port}`, registry, server };
  nodes.push(node);
  return node;
}

let node: Node;
beforeAll(async () => {
  node = await startNode();
});
afterAll(async () => {
  for (const { server } of nodes) {
    server.closeAllConnections();
    server.close();
  }
  await pool.end();
});

async function call(method: string, path: string, options: { body?: unknown; key?: string; at?: Node } = {}) {
  const response = await fetch(`${(options.at ?? node).url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${options.key ?? operator.key}`,
      ...(options.body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
  });
  const body = (await response.json()) as Record<string, unknown>;
  return { status: response.status, headers: response.headers, body };
}

function setConfig(configName: string, change: Record<string, unknown> = {}) {
  const body = { configName, maxPerWindow: 10, windowSize: 'PT4S', ...change };
  return call('POST', '/admin/rate-limit/config', { body });
}

function events(count: number, prefix = 'pay'): { eventId: string; requestedTime: string }[] {
  return Array.from({ length: count }, (_, index) => ({
    eventId: `${prefix}-${index}`,
    requestedTime: NOON,
  }));
}

/** Keeps everyone from placing events under the config until the returned function is called. */
async function holdConfig(configName: string): Promise<() => Promise<void>> {
  const client = await pool.connect();
  await client.query('begin');
  await client.query('select from rate_limit_config where config_name = $1 for update', [configName]);
  return async () => {
    await client.query('commit');
    client.release();
  };
}

async function metric(at: Node, name: string): Promise<number> {
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(await at.registry.metrics())?.[1]);
}

function queuedEvents(at: Node): Promise<number> {
  return metric(at, 'slot_queue_events');
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 20_000;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error('waited 20 s in vain');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

describe('one slot', () => {
  it('is assigned, is the same when asked for again, and can be read', async () => {
    await setConfig('one');
    const body = { eventId: 'pay-123', configName: 'one', requestedTime: '2035-06-01T12:00:00.001Z' };
    const first = await call('POST', '/api/v1/slots', { body, key: producer.key });
    expect(first.status).toBe(200);
    expect(first.body).toEqual({
      eventId: 'pay-123',
      scheduledTime: '2035-06-01T12:00:02.800Z',
      delayMs: 2_799,
    });
    const again = await call('POST', '/api/v1/slots', {
      body: { ...body, requestedTime: '2035-06-02T00:00:00+02:00' },
    });
    expect(again.body).toEqual(first.body);
    const read = await call('GET', '/api/v1/slots/pay-123?configName=one');
    expect([read.status, read.body]).toEqual([200, first.body]);
  });

  it('is not found where there is none', async () => {
    const answer = await call('GET', '/api/v1/slots/pay-404?configName=one');
    expect([answer.status, answer.body['code']]).toEqual([404, 'SLOT_NOT_FOUND']);
  });

  it('needs a config that exists', async () => {
    const body = { eventId: 'pay-1', configName: 'missing', requestedTime: NOON };
    const answer = await call('POST', '/api/v1/slots', { body });
    expect(answer.headers.get('content-type')).toContain('application/problem+json');
    expect([answer.status, answer.body['code']]).toEqual([404, 'CONFIG_NOT_FOUND']);
  });

  it('is refused with a time to retry when every window up to the horizon is full', async () => {
    await setConfig('tight', { maxPerWindow: 1, maxDelay: 'PT5S' });
    const ask = (eventId: string) =>
      call('POST', '/api/v1/slots', { body: { eventId, configName: 'tight', requestedTime: NOON } });
    const statuses = [(await ask('a')).status, (await ask('b')).status];
    const refused = await ask('c');
    expect([...statuses, refused.status]).toEqual([200, 200, 503]);
    expect(refused.headers.get('retry-after')).toBe('4');
    expect(refused.body['code']).toBe('WINDOWS_EXHAUSTED');
  });

  it.each([
    ['a time without an offset', { requestedTime: '2035-06-01T12:00:00' }, 'requestedTime'],
    ['a time outside of all sense', { requestedTime: '1970-01-01T00:00:00Z' }, 'requestedTime'],
    ['an empty event id', { eventId: '' }, 'eventId'],
    ['an unknown field', { priority: 1 }, 'priority'],
  ])('refuses %s and names the field', async (_what, change, path) => {
    const body = { eventId: 'pay-1', configName: 'one', requestedTime: NOON, ...change };
    const answer = await call('POST', '/api/v1/slots', { body });
    expect(answer.status).toBe(422);
    expect(answer.body['errors']).toEqual([expect.objectContaining({ path })]);
  });
});

describe('a batch', () => {
  it('is answered event by event in the order sent', async () => {
    await setConfig('batch', { maxDelay: 'PT7.999S' });
    const answer = await call('POST', '/api/v1/slots/batch', {
      body: { configName: 'batch', events: events(22) },
    });
    const slots = answer.body['slots'] as { eventId: string; problem?: { code: string } }[];
    expect(answer.status).toBe(200);
    expect(slots.map(({ eventId }) => eventId)).toEqual(events(22).map(({ eventId }) => eventId));
    expect(slots.map(({ problem }) => problem?.code).slice(19)).toEqual([
      undefined,
      'WINDOWS_EXHAUSTED',
      'WINDOWS_EXHAUSTED',
    ]);
  });

  it('may hold 1,000 events and not one more', async () => {
    await setConfig('large', { maxPerWindow: 100 });
    const full = await call('POST', '/api/v1/slots/batch', {
      body: { configName: 'large', events: events(1_000) },
    });
    expect(full.body['slots']).toHaveLength(1_000);
    const over = await call('POST', '/api/v1/slots/batch', {
      body: { configName: 'large', events: events(1_001) },
    });
    expect(over.status).toBe(422);
  });
});

describe('many callers at once', () => {
  it('share round trips, fill windows densely and exceed none', async () => {
    await setConfig('herd');
    const herd = [await startNode(), await startNode()];
    const wishes = events(150, 'herd').map((event) => ({ ...event, configName: 'herd' }));
    const release = await holdConfig('herd');
    // Every event is asked for on both nodes.
    const asking = herd.flatMap((at) => wishes.map((body) => call('POST', '/api/v1/slots', { body, at })));
    await until(async () => (await Promise.all(herd.map(queuedEvents))).every((queued) => queued === 150));
    await release();
    const answers = await Promise.all(asking);
    expect(answers.every(({ status }) => status === 200)).toBe(true);

    const times = new Map(answers.map(({ body }) => [body['eventId'], body['scheduledTime']]));
    for (const { body } of answers) expect(times.get(body['eventId'])).toBe(body['scheduledTime']);
    const fill = await pool.query<{ slot_count: number }>(
      `select slot_count from rate_limit_window_counter where config_name = 'herd' order by window_start`,
    );
    expect(fill.rows.map(({ slot_count }) => slot_count)).toEqual(Array.from({ length: 15 }, () => 10));
    // One that was under way while the others came in, and one for all of those.
    for (const at of herd) expect(await metric(at, 'slot_group_size_count')).toBeLessThanOrEqual(2);
  });

  it('are shed when more wait than the queue may hold', async () => {
    await setConfig('shed');
    const small = await startNode({ queueLimit: 1_000 });
    const bodies = ['a', 'b', 'c', 'd'].map((prefix) => ({
      configName: 'shed',
      events: events(400, prefix),
    }));
    const release = await holdConfig('shed');
    const waiting = bodies.map((body) => call('POST', '/api/v1/slots/batch', { body, at: small }));
    const shed = await Promise.any(waiting);
    expect([shed.status, shed.body['code'], shed.headers.get('retry-after')]).toEqual([
      503,
      'OVERLOADED',
      '1',
    ]);
    await release();
    const statuses = (await Promise.all(waiting)).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, 200, 503, 503]);
  });
});

describe('rate limits', () => {
  it('are made, read, listed and versioned', async () => {
    const made = await setConfig('limits');
    const expected = {
      configName: 'limits',
      version: 1,
      maxPerWindow: 10,
      windowSize: 'PT4S',
      maxDelay: 'P7D',
    };
    expect([made.status, made.body]).toEqual([200, expected]);
    expect((await setConfig('limits')).body).toEqual(expected);
    expect((await setConfig('limits', { maxPerWindow: 20, maxDelay: 'PT1H' })).body).toMatchObject({
      version: 2,
    });
    expect((await setConfig('limits', { maxPerWindow: 30 })).body).toMatchObject({
      version: 3,
      maxDelay: 'PT1H',
    });
    const read = await call('GET', '/admin/rate-limit/config?name=limits');
    expect(read.body).toMatchObject({ version: 3, maxPerWindow: 30 });
    const list = await call('GET', '/admin/rate-limit/config');
    expect(list.body['configs']).toContainEqual(read.body);
  });

  it('are used by all nodes at their next assignment, whatever they remember', async () => {
    await setConfig('spread');
    const other = await startNode();
    const batch = (prefix: string) =>
      call('POST', '/api/v1/slots/batch', {
        body: { configName: 'spread', events: events(10, prefix) },
        at: other,
      });
    await batch('before');
    await setConfig('spread', { maxPerWindow: 20 });
    const after = await batch('after');
    const slots = after.body['slots'] as { delayMs: number }[];
    expect(Math.max(...slots.map(({ delayMs }) => delayMs))).toBeLessThan(4_000);
  });

  it('keep their window size while slots lie ahead', async () => {
    await setConfig('sized');
    await call('POST', '/api/v1/slots', {
      body: { eventId: 'pay-1', configName: 'sized', requestedTime: NOON },
    });
    const answer = await setConfig('sized', { windowSize: 'PT2S' });
    expect([answer.status, answer.body['code'], answer.body['lastWindowEnd']]).toEqual([
      409,
      'WINDOW_SIZE_IN_USE',
      '2035-06-01T12:00:04.000Z',
    ]);
  });

  it.each([
    ['maxPerWindow', 0],
    ['windowSize', 'P1M'],
    ['windowSize', 'PT0S'],
    ['maxDelay', 'a while'],
  ])('refuse %s %p', async (field, value) => {
    const answer = await setConfig('wrong', { [field]: value });
    expect(answer.status).toBe(422);
    expect(answer.body['errors']).toEqual([expect.objectContaining({ path: field })]);
  });

  it('are not for producers', async () => {
    const body = { configName: 'theirs', maxPerWindow: 1_000, windowSize: 'PT1S' };
    const answer = await call('POST', '/admin/rate-limit/config', { body, key: producer.key });
    expect([answer.status, answer.body['code']]).toEqual([403, 'SCOPE_MISSING']);
  });
});

describe('a database that is away', () => {
  it('is answered with 503 and a time to retry', async () => {
    const db = connectPg({ url: 'postgres://nobody@127.0.0.1:1/nothing', applicationName: 'test', log });
    const lost = await startNode({ db });
    const body = { eventId: 'pay-1', configName: 'one', requestedTime: NOON };
    const answer = await call('POST', '/api/v1/slots', { body, at: lost });
    expect([answer.status, answer.body['code'], answer.headers.get('retry-after')]).toEqual([
      503,
      'SLOT_STORE_UNAVAILABLE',
      '1',
    ]);
    await db.end();
  });
});
