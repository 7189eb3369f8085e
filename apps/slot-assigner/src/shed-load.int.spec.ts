import { keys, startNodeApi } from './testing/node-api.js';
import type { NodeApi } from './testing/node-api.js';
import { connectTestPool } from './testing/test-pool.js';
import { until } from './testing/until.js';
import { NOON, herd, holdConfig, setConfig, windowCounts } from './testing/wishes.js';

const pool = connectTestPool(process.env['PG_URL']);
const apis: NodeApi[] = [];
const start: typeof startNodeApi = async (...options) => {
  const api = await startNodeApi(...options);
  apis.push(api);
  return api;
};
afterAll(async () => {
  for (const api of apis) api.close();
  await pool.end();
});

const batch = (configName: string, prefix: string, count = 400) => ({
  configName,
  events: herd(count, prefix),
});

describe('many callers at once', () => {
  it('share round trips, fill windows densely and exceed none', async () => {
    const nodes = [await start(pool), await start(pool)];
    const [first] = nodes;
    if (first === undefined) throw new Error('no node');
    await setConfig(first, 'herd');
    const wishes = herd(150, 'herd').map((event) => ({ ...event, configName: 'herd' }));
    const release = await holdConfig(pool, 'herd');
    // Every event is asked for on both nodes.
    const asking = nodes.flatMap((node) => wishes.map((body) => node.call('POST /api/v1/slots', { body })));
    const queued = () => Promise.all(nodes.map((node) => node.metric('slot_queue_events')));
    await until('all wait', async () => (await queued()).every((events) => events === 150));
    await release();
    const answers = await Promise.all(asking);
    expect(answers.every(({ status }) => status === 200)).toBe(true);

    const times = new Map(answers.map(({ body }) => [body['eventId'], body['scheduledTime']]));
    for (const { body } of answers) expect(times.get(body['eventId'])).toBe(body['scheduledTime']);
    expect(await windowCounts(pool, 'herd')).toEqual(Array.from({ length: 15 }, () => 10));
    // One that was under way while the others came in, and one for all of those.
    for (const node of nodes) expect(await node.metric('slot_group_size_count')).toBeLessThanOrEqual(2);
  });
});

describe('a node with more work than it may take', () => {
  it('sheds what would wait beyond its queue, with a time to retry, and serves the rest', async () => {
    const small = await start(pool, { events: 1_000 });
    await setConfig(small, 'shed');
    const release = await holdConfig(pool, 'shed');
    const waiting = ['a', 'b', 'c', 'd'].map((prefix) =>
      small.call('POST /api/v1/slots/batch', { body: batch('shed', prefix) }),
    );
    const shed = await Promise.any(waiting);
    expect([shed.status, shed.body['code'], shed.headers.get('retry-after')]).toEqual([
      503,
      'OVERLOADED',
      '1',
    ]);
    await release();
    const statuses = (await Promise.all(waiting)).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, 200, 503, 503]);
    expect((await windowCounts(pool, 'shed')).reduce((sum, slots) => sum + slots, 0)).toBe(800);
  });

  it('sheds the caller that fills the queue, and serves another', async () => {
    const fair = await start(pool, { events: 2_000, eventsOfCaller: 1_000 });
    await setConfig(fair, 'fair');
    const release = await holdConfig(pool, 'fair');
    const ask = (key: string, prefix: string) =>
      fair.call('POST /api/v1/slots/batch', { body: batch('fair', prefix), key });
    const greedy = ['a', 'b', 'c'].map((prefix) => ask(keys.producer, prefix));
    const shed = await Promise.any(greedy);
    expect([shed.status, shed.body['code'], shed.headers.get('retry-after')]).toEqual([
      429,
      'TOO_MANY_WAITING',
      '1',
    ]);
    const neighbour = ask(keys.neighbour, 'd');
    await until('the neighbour waits too', async () => (await fair.metric('slot_queue_events')) === 1_200);
    await release();
    expect((await neighbour).status).toBe(200);
    expect((await Promise.all(greedy)).map(({ status }) => status).sort()).toEqual([200, 200, 429]);
  });

  it('lets nobody wait longer than it says', async () => {
    const hasty = await start(pool, { waitMs: 200 });
    await setConfig(hasty, 'hasty');
    const release = await holdConfig(pool, 'hasty');
    const first = hasty.call('POST /api/v1/slots/batch', { body: batch('hasty', 'first') });
    await until('the first is under way', async () => (await hasty.metric('slot_queue_events')) === 400);
    const late = await hasty.call('POST /api/v1/slots/batch', { body: batch('hasty', 'late') });
    expect([late.status, late.body['code']]).toEqual([503, 'OVERLOADED']);
    await release();
    expect((await first).status).toBe(200);
    expect((await windowCounts(pool, 'hasty')).reduce((sum, slots) => sum + slots, 0)).toBe(400);
  });

  it('forgets a caller that has gone, and loses none of the others', async () => {
    const node = await start(pool);
    await setConfig(node, 'gone');
    const release = await holdConfig(pool, 'gone');
    const ask = (prefix: string, signal?: AbortSignal) =>
      node.call('POST /api/v1/slots/batch', {
        body: batch('gone', prefix, 100),
        ...(signal === undefined ? {} : { signal }),
      });
    const first = ask('first');
    await until('the first is under way', async () => (await node.metric('slot_queue_events')) === 100);
    const leaving = new AbortController();
    const left = ask('left', leaving.signal).catch((error: unknown) => error);
    const stayed = ask('stayed');
    await until('both wait', async () => (await node.metric('slot_queue_events')) === 300);
    leaving.abort();
    await left;
    await until('it has gone', async () => (await node.metric('slot_answers_total')) === 100);
    await release();
    expect([(await first).status, (await stayed).status]).toEqual([200, 200]);
    const { rows } = await pool.query<{ prefix: string }>(
      `select distinct split_part(event_id, '-', 1) as prefix from rate_limit_slot where config_name = 'gone' order by 1`,
    );
    expect(rows.map(({ prefix }) => prefix)).toEqual(['first', 'stayed']);
  });
});

describe('a database that is away', () => {
  it('is answered with 503 and a time to retry', async () => {
    const away = connectTestPool('postgres://nobody@127.0.0.1:1/nothing');
    const lost = await start(away);
    const body = { eventId: 'pay-1', configName: 'one', requestedTime: NOON };
    const span = 'from=2035-06-01T00:00:00Z&to=2035-06-02T00:00:00Z';
    const answers = [
      await lost.call('POST /api/v1/slots', { body }),
      await lost.call('GET /api/v1/slots/pay-1'),
      await lost.call('DELETE /api/v1/slots/pay-1'),
      await lost.call(`GET /api/v1/windows?${span}`),
      await lost.call('GET /admin/rate-limit/config'),
      await setConfig(lost, 'one'),
      await lost.call('POST /admin/rate-limit/cache/flush'),
    ];
    for (const { status, body: problem, headers } of answers) {
      expect([status, problem['code'], headers.get('retry-after')]).toEqual([
        503,
        'SLOT_STORE_UNAVAILABLE',
        '1',
      ]);
    }
    await away.end();
  });
});
