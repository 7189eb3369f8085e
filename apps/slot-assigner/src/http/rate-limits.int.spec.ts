import { keys, startNodeApi } from '../testing/node-api.js';
import type { NodeApi } from '../testing/node-api.js';
import { connectTestPool } from '../testing/test-pool.js';
import { NOON, herd, setConfig } from '../testing/wishes.js';

const pool = connectTestPool(process.env['PG_URL']);
let api: NodeApi;
let other: NodeApi;
beforeAll(async () => {
  api = await startNodeApi(pool);
  other = await startNodeApi(pool);
});
afterAll(async () => {
  api.close();
  other.close();
  await pool.end();
});

describe('rate limits', () => {
  it('are made, read, listed and versioned', async () => {
    const made = await setConfig(api, 'limits');
    const expected = {
      configName: 'limits',
      version: 1,
      maxPerWindow: 10,
      windowSize: 'PT4S',
      maxDelay: 'P7D',
      spread: 'even',
      calendar: null,
    };
    expect([made.status, made.body]).toEqual([200, expected]);
    expect((await setConfig(api, 'limits')).body).toEqual(expected);
    expect((await setConfig(api, 'limits', { maxPerWindow: 20, maxDelay: 'PT1H' })).body).toMatchObject({
      version: 2,
    });
    expect((await setConfig(api, 'limits', { maxPerWindow: 30 })).body).toMatchObject({
      version: 3,
      maxDelay: 'PT1H',
    });
    const read = await api.call('GET /admin/rate-limit/config?name=limits', { key: keys.reader });
    expect(read.body).toMatchObject({ version: 3, maxPerWindow: 30 });
    const list = await api.call('GET /admin/rate-limit/config', { key: keys.reader });
    expect(list.body['configs']).toContainEqual(read.body);
  });

  it('keep a calendar and a spread until they are changed', async () => {
    const calendar = {
      timeZone: 'America/New_York',
      hours: { monday: [{ from: '09:00', until: '17:00' }] },
      holidays: ['2035-12-25'],
      dailyBlackouts: [{ from: '23:30', until: '00:30' }],
    };
    const made = await setConfig(api, 'dated', { calendar, spread: 'random' });
    expect(made.body).toMatchObject({ calendar, spread: 'random' });
    expect((await setConfig(api, 'dated', { maxPerWindow: 20 })).body).toMatchObject({
      version: 2,
      calendar,
      spread: 'random',
    });
    expect((await setConfig(api, 'dated', { calendar: null })).body).toMatchObject({ calendar: null });
  });

  it('are used by all nodes at their next assignment, whatever they remember', async () => {
    await setConfig(api, 'spread');
    const batch = (prefix: string) =>
      other.call('POST /api/v1/slots/batch', {
        body: { configName: 'spread', events: herd(10, prefix) },
      });
    await batch('before');
    await setConfig(api, 'spread', { maxPerWindow: 20 });
    const after = await batch('after');
    const slots = after.body['slots'] as { delayMs: number }[];
    expect(Math.max(...slots.map(({ delayMs }) => delayMs))).toBeLessThan(4_000);
  });

  it('keep their window size while slots lie ahead', async () => {
    await setConfig(api, 'sized');
    await api.call('POST /api/v1/slots', {
      body: { eventId: 'pay-1', configName: 'sized', requestedTime: NOON },
    });
    const answer = await setConfig(api, 'sized', { windowSize: 'PT2S' });
    expect([answer.status, answer.body['code'], answer.body['lastWindowEnd']]).toEqual([
      409,
      'WINDOW_SIZE_IN_USE',
      '2035-06-01T12:00:04.000Z',
    ]);
  });

  it('are refused with a calendar that never opens', async () => {
    const calendar = { timeZone: 'UTC', hours: {} };
    const answer = await setConfig(api, 'shut', { calendar });
    expect([answer.status, answer.body['code']]).toEqual([422, 'CALENDAR_NEVER_OPEN']);
    expect((await api.call('GET /admin/rate-limit/config?name=shut')).status).toBe(404);
  });

  it.each([
    ['maxPerWindow', 0],
    ['windowSize', 'P1M'],
    ['windowSize', 'PT0S'],
    ['maxDelay', 'a while'],
    ['spread', 'clustered'],
  ])('refuse %s %p', async (field, value) => {
    const answer = await setConfig(api, 'wrong', { [field]: value });
    expect(answer.status).toBe(422);
    expect(answer.body['errors']).toEqual([expect.objectContaining({ path: field })]);
  });

  it('are not for producers', async () => {
    const body = { configName: 'theirs', maxPerWindow: 1_000, windowSize: 'PT1S' };
    const refused = [
      await api.call('POST /admin/rate-limit/config', { body, key: keys.producer }),
      await api.call('POST /admin/rate-limit/cache/flush', { key: keys.producer }),
      await api.call('POST /admin/rate-limit/cache/flush', { key: keys.reader }),
      await api.call('GET /admin/rate-limit/config', { key: keys.producer }),
    ];
    expect(refused.map(({ body: problem }) => problem['code'])).toEqual(refused.map(() => 'SCOPE_MISSING'));
  });
});

describe('a flush', () => {
  it('forgets what the node remembers and says that all were told', async () => {
    await setConfig(api, 'flushed');
    await api.call('POST /api/v1/slots', {
      body: { eventId: 'pay-1', configName: 'flushed', requestedTime: NOON },
    });
    const answer = await api.call('POST /admin/rate-limit/cache/flush');
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ forgotten: expect.any(Number) as number, announced: true });
    expect(answer.body['forgotten']).toBeGreaterThanOrEqual(1);
    expect((await api.call('POST /admin/rate-limit/cache/flush')).body['forgotten']).toBe(0);
  });
});
