import { keys, startNodeApi } from '../testing/node-api.js';
import type { NodeApi } from '../testing/node-api.js';
import { connectTestPool } from '../testing/test-pool.js';
import { until } from '../testing/until.js';
import { NOON, herd, setConfig, windowCounts } from '../testing/wishes.js';

const pool = connectTestPool(process.env['PG_URL']);
let api: NodeApi;
beforeAll(async () => {
  api = await startNodeApi(pool);
});
afterAll(async () => {
  api.close();
  await pool.end();
});

const noonMs = Date.parse(NOON);

describe('one slot', () => {
  it('is assigned, is the same when asked for again, and can be read', async () => {
    await setConfig(api, 'one');
    const body = { eventId: 'pay-123', configName: 'one', requestedTime: '2035-06-01T12:00:00.001Z' };
    const first = await api.call('POST /api/v1/slots', { body, key: keys.producer });
    expect(first.status).toBe(200);
    const { eventId, scheduledTime, delayMs, ...nothingElse } = first.body;
    expect([eventId, nothingElse]).toEqual(['pay-123', {}]);
    const scheduledMs = Date.parse(String(scheduledTime));
    expect(scheduledMs).toBeGreaterThan(noonMs);
    expect(scheduledMs).toBeLessThan(noonMs + 4_000);
    expect(delayMs).toBe(scheduledMs - noonMs - 1);
    const again = await api.call('POST /api/v1/slots', {
      body: { ...body, requestedTime: '2035-06-02T00:00:00+02:00' },
    });
    expect(again.body).toEqual(first.body);
    const read = await api.call('GET /api/v1/slots/pay-123?configName=one', { key: keys.reader });
    expect([read.status, read.body]).toEqual([200, first.body]);
  });

  it('is of the default rate limit when none is named', async () => {
    const body = { eventId: 'pay-1', requestedTime: NOON };
    const early = await api.call('POST /api/v1/slots', { body });
    expect([early.status, early.body['code']]).toEqual([404, 'CONFIG_NOT_FOUND']);
    await setConfig(api, 'default');
    const slot = await api.call('POST /api/v1/slots', { body });
    expect(slot.status).toBe(200);
    const named = await api.call('GET /api/v1/slots/pay-1?configName=default');
    const unnamed = await api.call('GET /api/v1/slots/pay-1');
    expect([named.body, unnamed.body]).toEqual([slot.body, slot.body]);
  });

  it('is not found where there is none', async () => {
    const answer = await api.call('GET /api/v1/slots/pay-404?configName=one');
    expect([answer.status, answer.body['code']]).toEqual([404, 'SLOT_NOT_FOUND']);
  });

  it('needs a config that exists', async () => {
    const body = { eventId: 'pay-1', configName: 'missing', requestedTime: NOON };
    const answer = await api.call('POST /api/v1/slots', { body });
    expect(answer.headers.get('content-type')).toContain('application/problem+json');
    expect([answer.status, answer.body['code']]).toEqual([404, 'CONFIG_NOT_FOUND']);
  });

  it('is refused with a time to retry when every window up to the horizon is full', async () => {
    await setConfig(api, 'tight', { maxPerWindow: 1, maxDelay: 'PT5S' });
    const ask = (eventId: string) =>
      api.call('POST /api/v1/slots', { body: { eventId, configName: 'tight', requestedTime: NOON } });
    const statuses = [(await ask('a')).status, (await ask('b')).status];
    const refused = await ask('c');
    expect([...statuses, refused.status]).toEqual([200, 200, 503]);
    expect(refused.headers.get('retry-after')).toBe('4');
    expect(refused.body['code']).toBe('WINDOWS_EXHAUSTED');
  });

  it.each([
    ['a time without an offset', { requestedTime: '2035-06-01T12:00:00' }, 'requestedTime'],
    ['a day that does not exist', { requestedTime: '2035-02-29T12:00:00Z' }, 'requestedTime'],
    ['a time outside of all sense', { requestedTime: '1970-01-01T00:00:00Z' }, 'requestedTime'],
    ['an empty event id', { eventId: '' }, 'eventId'],
    ['an unknown field', { priority: 1 }, 'priority'],
  ])('refuses %s and names the field', async (_what, change, path) => {
    const body = { eventId: 'pay-1', configName: 'one', requestedTime: NOON, ...change };
    const answer = await api.call('POST /api/v1/slots', { body });
    expect(answer.status).toBe(422);
    expect(answer.body['errors']).toEqual([expect.objectContaining({ path })]);
  });
});

describe('a batch', () => {
  it('is answered event by event in the order sent', async () => {
    await setConfig(api, 'batch', { maxDelay: 'PT7.999S' });
    const answer = await api.call('POST /api/v1/slots/batch', {
      body: { configName: 'batch', events: herd(22) },
    });
    const slots = answer.body['slots'] as { eventId: string; problem?: { code: string } }[];
    expect(answer.status).toBe(200);
    expect(slots.map(({ eventId }) => eventId)).toEqual(herd(22).map(({ eventId }) => eventId));
    expect(slots.map(({ problem }) => problem?.code).slice(19)).toEqual([
      undefined,
      'WINDOWS_EXHAUSTED',
      'WINDOWS_EXHAUSTED',
    ]);
  });

  it('says by event where the calendar has no open time', async () => {
    const day = [{ from: '09:00', until: '17:00' }];
    const calendar = { timeZone: 'Europe/Berlin', hours: { monday: day, thursday: day } };
    await setConfig(api, 'office', { maxDelay: 'P4D', calendar });
    const events = [
      { eventId: 'thursday', requestedTime: '2035-05-31T12:00:00+02:00' },
      { eventId: 'friday', requestedTime: '2035-06-01T12:00:00+02:00' },
    ];
    const body = { configName: 'office', events };
    const { body: open } = await api.call('POST /api/v1/slots/batch', { body });
    const [thursday, friday] = open['slots'] as { scheduledTime: string; delayMs: number }[];
    expect(thursday?.delayMs).toBeLessThan(4_000);
    expect(friday?.scheduledTime.slice(0, 13)).toBe('2035-06-04T07');
    // Now the first open day is Thursday, beyond the horizon of four days.
    await setConfig(api, 'office', { calendar: { ...calendar, holidays: ['2035-06-04'] } });
    const late = [{ eventId: 'later', requestedTime: '2035-06-01T12:00:00+02:00' }];
    const { body: closed } = await api.call('POST /api/v1/slots/batch', {
      body: { configName: 'office', events: late },
    });
    expect(closed['slots']).toMatchObject([{ eventId: 'later', problem: { code: 'NO_OPEN_TIME' } }]);
    const one = await api.call('POST /api/v1/slots', { body: { configName: 'office', ...late[0] } });
    expect([one.status, one.body['code']]).toEqual([422, 'NO_OPEN_TIME']);
  });

  it('may hold 1,000 events and not one more', async () => {
    await setConfig(api, 'large', { maxPerWindow: 100 });
    const full = await api.call('POST /api/v1/slots/batch', {
      body: { configName: 'large', events: herd(1_000) },
    });
    expect(full.body['slots']).toHaveLength(1_000);
    const over = await api.call('POST /api/v1/slots/batch', {
      body: { configName: 'large', events: herd(1_001) },
    });
    expect(over.status).toBe(422);
    expect(await windowCounts(pool, 'large')).toEqual(Array.from({ length: 10 }, () => 100));
  });
});

describe('a slot that is given back', () => {
  const give = (eventId: string, configName = 'given') =>
    api.call(`DELETE /api/v1/slots/${eventId}?configName=${configName}`, { key: keys.producer });
  const ask = (eventId: string, configName = 'given', requestedTime = NOON) =>
    api.call('POST /api/v1/slots', { body: { eventId, configName, requestedTime } });

  it('goes to another event, and its own event may ask again', async () => {
    await setConfig(api, 'given', { maxPerWindow: 2, maxDelay: 'PT3.999S' });
    const first = await ask('a');
    await ask('b');
    expect((await ask('c')).status).toBe(503);
    const given = await give('a');
    expect([given.status, given.body]).toEqual([200, first.body]);
    expect((await ask('c')).body['scheduledTime']).toBe(first.body['scheduledTime']);
    expect((await ask('a')).body['code']).toBe('WINDOWS_EXHAUSTED');
    expect(await windowCounts(pool, 'given')).toEqual([2]);
  });

  it('is not there to be given a second time', async () => {
    await setConfig(api, 'twice');
    await ask('a', 'twice');
    expect((await give('a', 'twice')).status).toBe(200);
    const again = await give('a', 'twice');
    expect([again.status, again.body['code']]).toEqual([404, 'SLOT_NOT_FOUND']);
  });

  it('is refused once its time has come', async () => {
    await setConfig(api, 'soon', { windowSize: 'PT0.1S' });
    const { body } = await ask('now', 'soon', new Date().toISOString());
    await until('its time has come', () => Date.now() > Date.parse(String(body['scheduledTime'])) + 20);
    const late = await give('now', 'soon');
    expect([late.status, late.body['code']]).toEqual([409, 'SLOT_PAST']);
    expect((await api.call('GET /api/v1/slots/now?configName=soon')).body).toEqual(body);
  });

  it('is not for callers that only read', async () => {
    const answer = await api.call('DELETE /api/v1/slots/b?configName=given', { key: keys.reader });
    expect([answer.status, answer.body['code']]).toEqual([403, 'SCOPE_MISSING']);
  });
});

describe('windows', () => {
  it('are listed with their fill, by pages', async () => {
    await setConfig(api, 'filled');
    await api.call('POST /api/v1/slots/batch', { body: { configName: 'filled', events: herd(25) } });
    const list = (query: string) =>
      api.call(`GET /api/v1/windows?config=filled&${query}`, { key: keys.reader });
    const page = await list('from=2035-06-01T00:00:00Z&to=2035-06-02T00:00:00Z&limit=2');
    expect(page.status).toBe(200);
    expect(page.body).toMatchObject({
      configName: 'filled',
      windows: [
        {
          windowStart: '2035-06-01T12:00:00.000Z',
          windowEnd: '2035-06-01T12:00:04.000Z',
          taken: 10,
          capacity: 10,
        },
        { windowStart: '2035-06-01T12:00:04.000Z', taken: 10 },
      ],
    });
    const rest = await list(`from=${String(page.body['next'])}&to=2035-06-02T00:00:00Z`);
    expect(rest.body).toMatchObject({
      windows: [{ windowStart: '2035-06-01T12:00:08.000Z', taken: 5, capacity: 10 }],
      next: null,
    });
  });

  it('need a config that exists and a span that does not end before it begins', async () => {
    const span = 'from=2035-06-01T00:00:00Z&to=2035-06-02T00:00:00Z';
    const unknown = await api.call(`GET /api/v1/windows?config=missing&${span}`);
    expect([unknown.status, unknown.body['code']]).toEqual([404, 'CONFIG_NOT_FOUND']);
    const turned = await api.call(
      'GET /api/v1/windows?config=filled&from=2035-06-02T00:00:00Z&to=2035-06-01T00:00:00Z',
    );
    expect(turned.status).toBe(422);
    expect(turned.body['errors']).toEqual([expect.objectContaining({ path: 'query.to' })]);
  });
});

describe('the description of the API', () => {
  it('is there for everybody', async () => {
    const answer = await api.call('GET /openapi.json');
    expect(answer.body).toMatchObject({ openapi: '3.1.1', info: { title: 'Sluice slot-assigner' } });
  });
});
