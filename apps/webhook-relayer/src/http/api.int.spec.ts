import { randomBytes } from 'node:crypto';
import { loadSql } from '../adapters/sql.js';
import { startRelayer } from '../testing/relayer.js';
import type { Relayer } from '../testing/relayer.js';

const name = process.env.TEST_NAME ?? 'test';
let relayer: Relayer;

beforeAll(async () => {
  // Without its workers, so that what is stored stays as it is; nothing is sent, and no private address is needed.
  const variables = { SLUICE_ALLOWED_PRIVATE_HOSTS: 'hooks.test' };
  relayer = await startRelayer({ name, workers: false, variables });
});
afterAll(() => relayer.close());

const create = (changes: object = {}, as: 'default' | 'acme' = 'default') =>
  relayer.call(
    'POST /subscriptions',
    { url: 'https://192.0.43.8/hook', eventTypes: ['*'], ...changes },
    { as },
  );

const audit = async (subscriptionId: string): Promise<unknown[]> => {
  const { rows } = await relayer.outside.pool.query<{ type: string; actor: string }>(
    'SELECT type, actor FROM webhook_operational_events WHERE subscription_id = $1 ORDER BY id',
    [subscriptionId],
  );
  return rows.map(({ type, actor }) => `${type} by ${actor}`);
};

describe('a subscription', () => {
  it('is made with its settings, shown without its secret, changed, and deleted with an audit trail', async () => {
    const { status, headers, body } = await create({
      eventTypes: ['payment.*', 'payment.*', 'refund.done'],
      description: 'our shop',
      headers: { Authorization: 'Bearer token-of-the-customer' },
      signatureForm: 'standard_and_legacy',
      retryProfile: 'long',
      rateLimitPerSecond: 50,
      maxConcurrency: 4,
    });
    const id = String(body['id']);
    expect(status).toBe(201);
    expect(headers.get('location')).toBe(`/subscriptions/${id}`);
    const settings = {
      url: 'https://192.0.43.8/hook',
      eventTypes: ['payment.*', 'refund.done'],
      description: 'our shop',
      headerNames: ['authorization'],
      signatureForm: 'standard_and_legacy',
      retryProfile: 'long',
      rateLimitPerSecond: 50,
      maxConcurrency: 4,
      status: 'active',
      version: 1,
    };
    expect(body).toMatchObject(settings);

    const read = await relayer.call(`GET /subscriptions/${id}`);
    expect(read.body).toMatchObject({ ...settings, secrets: [{ version: 1, expiresAt: null }] });

    const patch = { eventTypes: ['a'], rateLimitPerSecond: null, headers: {} };
    const changed = await relayer.call(`PATCH /subscriptions/${id}`, patch);
    expect(changed.body).toMatchObject({
      ...settings,
      eventTypes: ['a'],
      rateLimitPerSecond: null,
      headerNames: [],
      version: 2,
    });

    expect((await relayer.call(`DELETE /subscriptions/${id}`)).status).toBe(204);
    for (const request of [`GET /subscriptions/${id}`, `DELETE /subscriptions/${id}`]) {
      expect(await relayer.call(request)).toMatchObject({
        status: 404,
        body: { code: 'SUBSCRIPTION_NOT_FOUND' },
      });
    }
    expect(await audit(id)).toEqual([
      'subscription.created by default',
      'subscription.updated by default',
      'subscription.deleted by default',
    ]);
  });

  it('that was deleted has no secret left in the database', async () => {
    const { body } = await create();
    await relayer.call(`DELETE /subscriptions/${String(body['id'])}`);
    const { rows } = await relayer.outside.pool.query(
      'SELECT 1 FROM webhook_subscription_secrets WHERE subscription_id = $1',
      [body['id']],
    );
    expect(rows).toEqual([]);
  });

  it('is changed at the version that the caller saw, or not at all', async () => {
    const { body } = await create();
    const path = `PATCH /subscriptions/${String(body['id'])}`;
    expect((await relayer.call(path, { eventTypes: ['a'], version: 1 })).status).toBe(200);
    expect(await relayer.call(path, { eventTypes: ['b'], version: 1 })).toMatchObject({
      status: 409,
      body: { code: 'SUBSCRIPTION_OUTDATED', version: 2 },
    });
  });

  it('loses no change when several are made at once', async () => {
    const { body } = await create();
    const path = `PATCH /subscriptions/${String(body['id'])}`;
    const patches = [{ eventTypes: ['a'] }, { description: 'd' }, { maxConcurrency: 3 }];
    const answers = await Promise.all(patches.map((patch) => relayer.call(path, patch)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    const { body: after } = await relayer.call(`GET /subscriptions/${String(body['id'])}`);
    expect(after).toMatchObject({ eventTypes: ['a'], description: 'd', maxConcurrency: 3, version: 4 });
  });

  it('is paused and resumed, any number of times', async () => {
    const { body } = await create();
    const id = String(body['id']);
    const pause = () => relayer.call(`POST /subscriptions/${id}/pause`, { reason: 'we are moving' });
    expect((await pause()).body).toMatchObject({ status: 'paused', statusReason: 'we are moving' });
    expect(await pause()).toMatchObject({ status: 200, body: { status: 'paused' } });
    const resume = () => relayer.call(`POST /subscriptions/${id}/resume`);
    expect((await resume()).body).toMatchObject({ status: 'active', statusReason: null });
    expect((await resume()).status).toBe(200);
    expect((await audit(id)).slice(1)).toEqual([
      'subscription.paused by default',
      'subscription.resumed by default',
    ]);
  });

  it('that was disabled is not paused, and comes back without its old failures', async () => {
    const { body } = await create();
    const id = String(body['id']);
    const { pool } = relayer.outside;
    await pool.query(
      `UPDATE webhook_subscriptions SET status = 'disabled', status_reason = 'FAILING' WHERE id = $1`,
      [id],
    );
    await pool.query(
      `INSERT INTO webhook_subscription_health (subscription_id, failing_since) VALUES ($1, now() - interval '9 days')`,
      [id],
    );
    expect(await relayer.call(`POST /subscriptions/${id}/pause`, {})).toMatchObject({
      status: 409,
      body: { code: 'SUBSCRIPTION_STATUS', subscriptionStatus: 'disabled' },
    });
    expect(await relayer.call(`POST /subscriptions/${id}/test`)).toMatchObject({ status: 409 });
    expect((await relayer.call(`POST /subscriptions/${id}/resume`)).body['status']).toBe('active');
    expect((await relayer.call(`GET /subscriptions/${id}/health`)).body['failingSince']).toBeNull();
  });

  it('is listed by pages, in the order of ids', async () => {
    const made: string[] = [];
    for (let count = 0; count < 5; count += 1) made.push(String((await create({}, 'acme')).body['id']));
    const seen: string[] = [];
    let after: string | null = '';
    while (after !== null) {
      const { body } = await relayer.call(`GET /subscriptions?limit=2&after=${after}`, undefined, {
        as: 'acme',
      });
      seen.push(...(body['subscriptions'] as { id: string }[]).map(({ id }) => id));
      after = body['nextAfter'] as string | null;
    }
    expect(seen).toEqual(made);
  });

  it.each([
    ['http', 'http://example.com/'],
    ['another scheme', 'ftp://example.com/'],
    ['credentials', 'https://user:secret@example.com/'],
    ['a fragment', 'https://example.com/#a'],
    ['loopback', 'https://127.0.0.2/'],
    ['loopback in decimal', 'https://2130706434/'],
    ['loopback in octal', 'https://0177.0.0.2/'],
    ['loopback in hex', 'https://0x7f.2/'],
    ['loopback in IPv6', 'https://[::1]/'],
    ['IPv4 inside of IPv6', 'https://[::ffff:10.0.0.1]/'],
    ['the metadata service', 'https://169.254.169.254/latest'],
    ['a private network', 'https://10.1.2.3/'],
    ['a name of this machine', 'https://localhost/'],
    ['no URL at all', 'shop'],
  ])('is refused for a URL with %s', async (_what, url) => {
    expect(await create({ url })).toMatchObject({ status: 422, body: { code: 'URL_REFUSED' } });
    const { body } = await create();
    const patched = await relayer.call(`PATCH /subscriptions/${String(body['id'])}`, { url });
    expect(patched).toMatchObject({ status: 422, body: { code: 'URL_REFUSED' } });
  });

  it.each([
    ['a pattern inside of a word', { eventTypes: ['pay*'] }],
    ['no types', { eventTypes: [] }],
    ['a header of ours', { headers: { 'Webhook-Id': 'x' } }],
    ['a header with a line break', { headers: { 'x-a': 'a\r\nhost: b' } }],
    ['a limit of zero', { rateLimitPerSecond: 0 }],
    ['an unknown field', { colour: 'red' }],
  ])('is refused for %s', async (_what, changes) => {
    expect(await create(changes)).toMatchObject({ status: 422, body: { code: 'VALIDATION_FAILED' } });
  });
});

describe('test 11: the rotation of a secret', () => {
  it('leaves two valid for the overlap, never three, and shows the new one once', async () => {
    const { body } = await create();
    const path = `/subscriptions/${String(body['id'])}`;
    const first = await relayer.call(`POST ${path}/rotate-secret`, { overlapSeconds: 3_600 });
    expect(first.body['secret']).toMatch(/^whsec_/);
    expect(first.body['secret']).not.toBe(body['secret']);
    expect(first.body['secrets']).toMatchObject([
      { version: 2, expiresAt: null },
      { version: 1, expiresAt: expect.stringMatching(/Z$/) as string },
    ]);
    const second = await relayer.call(`POST ${path}/rotate-secret`, { overlapSeconds: 60 });
    expect(second.body['secrets']).toMatchObject([{ version: 3 }, { version: 2 }]);
    const third = await relayer.call(`POST ${path}/rotate-secret`, { overlapSeconds: 0 });
    expect(third.body['secrets']).toMatchObject([{ version: 4, expiresAt: null }]);
  });

  it('is done by one caller after the other', async () => {
    const { body } = await create();
    const path = `/subscriptions/${String(body['id'])}`;
    const all = await Promise.all(
      Array.from({ length: 5 }, () => relayer.call(`POST ${path}/rotate-secret`, { overlapSeconds: 60 })),
    );
    expect(all.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect((await relayer.call(`GET ${path}`)).body['secrets']).toMatchObject([
      { version: 6 },
      { version: 5 },
    ]);
  });

  it('takes a secret that the customer brings, if it is one', async () => {
    const { body } = await create();
    const path = `POST /subscriptions/${String(body['id'])}/rotate-secret`;
    const secret = `whsec_${randomBytes(24).toString('base64')}`;
    expect((await relayer.call(path, { secret })).body['secret']).toBe(secret);
    for (const bad of ['whsec_c2hvcnQ=', 'plain text', ''])
      expect(await relayer.call(path, { secret: bad })).toMatchObject({ body: { code: 'SECRET_REFUSED' } });
  });
});

describe('tenants', () => {
  it('see and change nothing of each other', async () => {
    const { body } = await create();
    const id = String(body['id']);
    const { eventId, deliveryId } = (await relayer.call(`POST /subscriptions/${id}/test`)).body;
    // Finished, so that only the tenant stands between it and a replay.
    await relayer.outside.pool.query(
      `UPDATE webhook_deliveries SET status = 'failed', finished_at = now() WHERE id = $1`,
      [deliveryId],
    );
    const requests: [string, object?][] = [
      [`GET /subscriptions/${id}`],
      [`PATCH /subscriptions/${id}`, { eventTypes: ['a'] }],
      [`POST /subscriptions/${id}/pause`, {}],
      [`POST /subscriptions/${id}/resume`],
      [`POST /subscriptions/${id}/rotate-secret`, {}],
      [`POST /subscriptions/${id}/test`],
      [`GET /subscriptions/${id}/health`],
      [`DELETE /subscriptions/${id}`],
      [`GET /events/${String(eventId)}`],
      [`GET /events/${String(eventId)}/attempts`],
      [`POST /deliveries/${String(deliveryId)}/replay`, {}],
    ];
    for (const [request, content] of requests) {
      expect(await relayer.call(request, content, { as: 'acme' })).toMatchObject({ status: 404 });
    }
    const span = {
      createdFrom: new Date(Date.now() - 3_600_000).toISOString(),
      createdBefore: new Date(Date.now() + 3_600_000).toISOString(),
      dryRun: false,
    };
    const replayed = await relayer.call('POST /deliveries/replay', span, { as: 'acme' });
    expect(replayed.body).toMatchObject({ matched: 0, replayed: 0 });
    const { body: untouched } = await relayer.call(`GET /deliveries?eventId=${String(eventId)}`);
    expect(untouched['deliveries']).toMatchObject([{ id: deliveryId, status: 'failed', replays: 0 }]);
    const listed = await relayer.call('GET /subscriptions?limit=200', undefined, { as: 'acme' });
    expect(JSON.stringify(listed.body)).not.toContain(id);
    const deliveries = await relayer.call('GET /deliveries?limit=200', undefined, { as: 'acme' });
    expect(deliveries.body['deliveries']).toEqual([]);
    expect((await relayer.call(`GET /subscriptions/${id}`)).body).toMatchObject({
      version: 1,
      status: 'active',
    });
  });

  it('need the scope for what they change', async () => {
    const { body } = await create();
    const as = 'reader' as const;
    const id = String(body['id']);
    expect((await relayer.call(`GET /subscriptions/${id}`, undefined, { as })).status).toBe(200);
    for (const [request, content] of [
      ['POST /subscriptions', {}],
      ['POST /events', {}],
      [`DELETE /subscriptions/${id}`, undefined],
      [`POST /subscriptions/${id}/rotate-secret`, {}],
      ['POST /deliveries/replay', {}],
    ] as const) {
      expect(await relayer.call(request, content, { as })).toMatchObject({
        status: 403,
        body: { code: 'SCOPE_MISSING' },
      });
    }
  });
});

describe('the health of a subscription', () => {
  it('adds up the hours of a day, and reads no attempt', async () => {
    const { body } = await create();
    const id = String(body['id']);
    const { pool } = relayer.outside;
    await pool.query(
      `INSERT INTO webhook_subscription_hours (subscription_id, hour, delivered, retried, failed, duration_buckets)
       VALUES ($1, date_trunc('hour', now(), 'UTC'), 90, 5, 5, '{90,0,0,0,10,0,0,0,0,0}'),
              ($1, date_trunc('hour', now(), 'UTC') - interval '23 hours', 100, 0, 0, '{100,0,0,0,0,0,0,0,0,0}'),
              ($1, date_trunc('hour', now(), 'UTC') - interval '24 hours', 0, 0, 999, '{0,0,0,0,0,0,0,0,0,999}')`,
      [id],
    );
    await pool.query(
      `INSERT INTO webhook_subscription_health
         (subscription_id, failing_since, last_failure_at, last_status_code, last_error_code, last_error_detail)
       VALUES ($1, now(), now(), 503, 'HTTP_503', 'busy')`,
      [id],
    );
    const { body: health } = await relayer.call(`GET /subscriptions/${id}/health`);
    expect(health).toMatchObject({
      subscriptionId: id,
      status: 'active',
      attempts: { delivered: 190, retried: 5, failed: 5 },
      successRate: 0.95,
      // 190 of 200 took up to 50 ms.
      p95Ms: 50,
      circuit: { state: 'closed', retryAfterMs: 0 },
      lastSuccessAt: null,
      lastError: { statusCode: 503, code: 'HTTP_503', detail: 'busy' },
    });
  });

  it('is empty for one that has had nothing to do', async () => {
    const { body } = await create();
    expect((await relayer.call(`GET /subscriptions/${String(body['id'])}/health`)).body).toMatchObject({
      attempts: { delivered: 0, retried: 0, failed: 0 },
      successRate: null,
      p95Ms: null,
      lastError: null,
    });
  });

  it('is read without a look at deliveries and attempts, however many there are', async () => {
    const statement = `EXPLAIN (FORMAT JSON) ${loadSql('read_subscription_health')}`;
    const { rows } = await relayer.outside.pool.query(statement, ['sub_1', new Date()]);
    expect(JSON.stringify(rows)).toContain('webhook_subscription_hours');
    expect(JSON.stringify(rows)).not.toMatch(/webhook_deliver/);
  });
});

describe('the API', () => {
  it('says what it does not know', async () => {
    expect(await relayer.call('GET /events/unknown')).toMatchObject({
      status: 404,
      body: { code: 'EVENT_NOT_FOUND' },
    });
    expect(await relayer.call('GET /health')).toMatchObject({ status: 200, body: { status: 'ok' } });
    expect((await relayer.call('GET /openapi.json')).body['openapi']).toBe('3.1.1');
    expect((await relayer.call('GET /asyncapi.json')).body['asyncapi']).toBe('3.1.0');
  });
});
