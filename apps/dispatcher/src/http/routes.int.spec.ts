import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Registry } from 'prom-client';
import { createPgQueue } from '@sluice/queue-core';
import { createLogger } from '@sluice/service-kit';
import { createApi, createKeyRing } from '@sluice/service-kit/http';
import { connectPg } from '@sluice/service-kit/pg';
import { startAdminApi } from '../testing/admin-api.js';
import { createRoutes } from './routes.js';

const settings = {
  enabled: true,
  batchSize: 500,
  dispatchIntervalSecs: 5,
  jitterWindowMs: 4_000,
  preStartBufferMins: 2,
  maxDispatchRetries: 5,
  staleClaimThresholdMins: 2,
  execWorkflowType: 'SampleWorkflow',
  execTaskQueue: 'sample-task-queue',
};

describe('the dispatch admin API', () => {
  let api: Awaited<ReturnType<typeof startAdminApi>>;

  beforeAll(async () => {
    api = await startAdminApi(process.env['PG_URL'] ?? '');
  });
  afterAll(() => api.close());

  const newItemType = () => `R${randomBytes(8).toString('hex').toUpperCase()}`;

  it('creates a config, shows it and changes it, and tells who did and why', async () => {
    const itemType = newItemType();
    expect(await api.asAdmin(`GET /config/${itemType}`)).toMatchObject({
      status: 404,
      body: { code: 'DISPATCH_CONFIG_NOT_FOUND' },
    });
    expect(await api.asAdmin(`PUT /config/${itemType}`, settings)).toMatchObject({
      status: 201,
      body: settings,
    });
    const change = { ...settings, enabled: false, reason: 'too fast' };
    expect(await api.asAdmin(`PUT /config/${itemType}`, change)).toMatchObject({
      status: 200,
      body: { enabled: false },
    });
    expect(await api.asReader(`GET /config/${itemType}`)).toMatchObject({
      status: 200,
      body: { ...settings, enabled: false },
    });
    const { body } = await api.asReader(`GET /config/${itemType}/changes`);
    const changes = body['changes'] as { actor: string; detail: string }[];
    expect(changes.map(({ actor }) => actor)).toEqual(['admin', 'admin']);
    expect(JSON.parse(changes[0]?.detail ?? '')).toMatchObject({
      before: { enabled: true },
      after: { enabled: false },
      reason: 'too fast',
    });
  });

  it('lists the configs of all item types', async () => {
    const [one, other] = [newItemType(), newItemType()];
    await api.asAdmin(`PUT /config/${one}`, settings);
    await api.asAdmin(`PUT /config/${other}`, { ...settings, batchSize: 7 });
    const { status, body } = await api.asReader('GET /config');
    expect(status).toBe(200);
    expect(body['configs']).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ itemType: one, batchSize: 500 }),
        expect.objectContaining({ itemType: other, batchSize: 7 }),
      ]),
    );
  });

  it('turns the kill switch on and off, with a reason', async () => {
    const itemType = newItemType();
    const reason = { reason: 'the gateway is down' };
    expect((await api.asAdmin(`POST /config/${itemType}/pause`, reason)).status).toBe(404);
    await api.asAdmin(`PUT /config/${itemType}`, settings);
    expect(await api.asAdmin(`POST /config/${itemType}/pause`, reason)).toMatchObject({
      status: 200,
      body: { ...settings, enabled: false },
    });
    expect((await api.asAdmin(`POST /config/${itemType}/pause`, reason)).status).toBe(200);
    expect(await api.asAdmin(`POST /config/${itemType}/resume`, { reason: 'it is back' })).toMatchObject({
      status: 200,
      body: { enabled: true },
    });
    const { body } = await api.asReader(`GET /config/${itemType}/changes?limit=2`);
    expect(body).toMatchObject({
      changes: [
        { action: 'DISPATCH_RESUMED', actor: 'admin', detail: 'it is back' },
        { action: 'DISPATCH_PAUSED', actor: 'admin', detail: 'the gateway is down' },
      ],
      nextCursor: expect.any(String) as string,
    });
    const next = await api.asReader(
      `GET /config/${itemType}/changes?limit=2&cursor=${String(body['nextCursor'])}`,
    );
    expect(next.body).toMatchObject({ changes: [{ action: 'CONFIG_CHANGED' }], nextCursor: null });
  });

  it('asks for a reason', async () => {
    const itemType = newItemType();
    await api.asAdmin(`PUT /config/${itemType}`, settings);
    for (const body of [{}, { reason: '' }, { reason: '   ' }, { reason: 'x', also: 1 }]) {
      expect((await api.asAdmin(`POST /config/${itemType}/pause`, body)).status).toBe(422);
    }
    expect((await api.queue.readConfig(itemType))?.config.enabled).toBe(true);
  });

  it('refuses every change by a caller that may only read', async () => {
    const itemType = newItemType();
    const reason = { reason: 'x' };
    const answers = [
      await api.asReader(`PUT /config/${itemType}`, settings),
      await api.asReader(`POST /config/${itemType}/pause`, reason),
      await api.asReader(`POST /config/${itemType}/resume`, reason),
      await api.asReader(`POST /items/${itemType}/a/requeue`, reason),
      await api.asReader(`POST /items/${itemType}/a/cancel`, reason),
      await api.asReader(`POST /exhausted/${itemType}/requeue`, reason),
      await api.asReader(`POST /cycles/${itemType}`, reason),
    ];
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 403));
  });

  it.each([
    ['a batch of none', { ...settings, batchSize: 0 }],
    ['an unknown field', { ...settings, batchsize: 5 }],
    ['a missing field', { enabled: true }],
  ])('refuses %s', async (_name, body) => {
    const itemType = newItemType();
    expect((await api.asAdmin(`PUT /config/${itemType}`, body)).status).toBe(422);
    expect(await api.queue.readConfig(itemType)).toBeNull();
  });

  it('refuses an item type that is none', async () => {
    expect((await api.asAdmin('PUT /config/not-a-type', settings)).status).toBe(422);
  });

  it('tells Temporal to run a cycle now, and writes down who wanted it', async () => {
    const itemType = newItemType();
    const reason = { reason: 'the day ends' };
    expect((await api.asAdmin(`POST /cycles/${itemType}`, reason)).status).toBe(404);
    await api.asAdmin(`PUT /config/${itemType}`, settings);
    const scheduleId = `test-${itemType.toLowerCase()}`;
    expect(await api.asAdmin(`POST /cycles/${itemType}`, reason)).toMatchObject({
      status: 202,
      body: { itemType, scheduleId },
    });
    expect(api.temporal.asked).toEqual([scheduleId]);
    const { changes } = await api.queue.listChanges({ itemType, limit: 1 });
    expect(changes).toMatchObject([{ action: 'CYCLE_REQUESTED', actor: 'admin', detail: 'the day ends' }]);
  });

  it.each([
    ['running', 409, 'CYCLE_RUNNING'],
    ['no_schedule', 409, 'SCHEDULE_NOT_FOUND'],
    ['unreachable', 503, 'TEMPORAL_UNAVAILABLE'],
  ] as const)('says so when the cycle cannot begin: %s', async (answer, status, code) => {
    const itemType = newItemType();
    await api.asAdmin(`PUT /config/${itemType}`, settings);
    api.temporal.answer = answer;
    try {
      const refused = await api.asAdmin(`POST /cycles/${itemType}`, { reason: 'x' });
      expect(refused).toMatchObject({ status, body: { code } });
    } finally {
      api.temporal.answer = 'triggered';
    }
  });

  it('runs no cycle while the kill switch is on', async () => {
    const itemType = newItemType();
    await api.asAdmin(`PUT /config/${itemType}`, { ...settings, enabled: false });
    expect(await api.asAdmin(`POST /cycles/${itemType}`, { reason: 'x' })).toMatchObject({
      status: 409,
      body: { code: 'DISPATCH_PAUSED' },
    });
    expect(api.temporal.asked).not.toContain(`test-${itemType.toLowerCase()}`);
  });

  it('answers 503 while the database is away', async () => {
    const log = createLogger({ service: 'test', level: 'fatal' });
    const url = 'postgres://postgres@127.0.0.1:1/none';
    const away = connectPg({ url, applicationName: 'test', log });
    const keys = createKeyRing([], 'development');
    const schedules = { trigger: () => Promise.resolve('triggered' as const) };
    const routes = createRoutes({ queue: createPgQueue(away), schedules, schedulePrefix: '' });
    const lame = createServer(createApi({ name: 'test', log, registry: new Registry(), keys, routes }));
    await new Promise<void>((resolve) => lame.listen(0, '127.0.0.1', resolve));
    try {
      const { port } = lame.address() as AddressInfo;
      const paths = ['config/A', 'config', 'depth/A', 'depth/A/minutes', 'items/A/b', 'exhausted/A'];
      for (const path of paths) {
        const response = await fetch(`http://127.0.0.1:${port}/api/v1/dispatch/${path}`);
        expect(response.status).toBe(503);
        expect(await response.json()).toMatchObject({ code: 'QUEUE_UNAVAILABLE' });
        expect(response.headers.get('retry-after')).toBe('5');
      }
    } finally {
      lame.closeAllConnections();
      await new Promise((resolve) => lame.close(resolve));
      await away.end();
    }
  });

  it('describes itself to everybody', async () => {
    const response = await fetch(`${api.base}/openapi.json`);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ openapi: '3.1.1', info: { title: 'Sluice dispatcher' } });
  });
});
