import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { randomBytes } from 'node:crypto';
import { Registry } from 'prom-client';
import { createPgQueue } from '@sluice/queue-core';
import type { DispatchQueue } from '@sluice/queue-core';
import { createLogger } from '@sluice/service-kit';
import { createApi, createApiKey, createKeyRing } from '@sluice/service-kit/http';
import { connectPg } from '@sluice/service-kit/pg';
import type { Pool } from '@sluice/service-kit/pg';
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
  const reader = createApiKey('reader', randomBytes);
  const admin = createApiKey('admin', randomBytes);
  let pool: Pool;
  let queue: DispatchQueue;
  let server: Server;
  let base: string;

  beforeAll(async () => {
    const log = createLogger({ service: 'test', level: 'fatal' });
    pool = connectPg({ url: process.env['PG_URL'] ?? '', applicationName: 'test', log });
    queue = createPgQueue(pool);
    const keys = createKeyRing(
      [
        { ...reader.entry, scopes: ['dispatch:read'] },
        { ...admin.entry, scopes: ['dispatch:read', 'dispatch:admin'] },
      ],
      'production',
    );
    const registry = new Registry();
    server = createServer(createApi({ name: 'test', log, registry, keys, routes: createRoutes(queue) }));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1/dispatch`;
  });

  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await pool.end();
  });

  async function call(key: string, path: string, body?: unknown) {
    const response = await fetch(`${base}${path}`, {
      method: body === undefined ? 'GET' : 'PUT',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(10_000),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  }

  const newItemType = () => `R${randomBytes(8).toString('hex').toUpperCase()}`;

  it('creates a config, shows it and changes it, and writes down who did', async () => {
    const path = `/config/${newItemType()}`;
    expect(await call(admin.key, path)).toMatchObject({
      status: 404,
      body: { code: 'DISPATCH_CONFIG_NOT_FOUND' },
    });
    expect(await call(admin.key, path, settings)).toMatchObject({ status: 201, body: settings });
    expect(await call(admin.key, path, { ...settings, enabled: false })).toMatchObject({
      status: 200,
      body: { enabled: false },
    });
    expect(await call(reader.key, path)).toMatchObject({
      status: 200,
      body: { ...settings, enabled: false },
    });
    const { rows } = await pool.query<{ actor: string }>(
      'SELECT actor FROM dispatch_audit_log WHERE item_type = $1',
      [path.split('/').at(-1)],
    );
    expect(rows.map((row) => row.actor)).toEqual(['admin', 'admin']);
  });

  it('refuses a change by a caller that may only read', async () => {
    expect((await call(reader.key, `/config/${newItemType()}`, settings)).status).toBe(403);
  });

  it.each([
    ['a batch of none', { ...settings, batchSize: 0 }],
    ['an unknown field', { ...settings, batchsize: 5 }],
    ['a missing field', { enabled: true }],
  ])('refuses %s', async (_name, body) => {
    const itemType = newItemType();
    expect((await call(admin.key, `/config/${itemType}`, body)).status).toBe(422);
    expect(await queue.readConfig(itemType)).toBeNull();
  });

  it('refuses an item type that is none', async () => {
    expect((await call(admin.key, '/config/not-a-type', settings)).status).toBe(422);
  });

  it('answers 503 while the database is away', async () => {
    const log = createLogger({ service: 'test', level: 'fatal' });
    const url = 'postgres://postgres@127.0.0.1:1/none';
    const away = connectPg({ url, applicationName: 'test', log });
    const keys = createKeyRing([], 'development');
    const routes = createRoutes(createPgQueue(away));
    const lame = createServer(createApi({ name: 'test', log, registry: new Registry(), keys, routes }));
    await new Promise<void>((resolve) => lame.listen(0, '127.0.0.1', resolve));
    try {
      const { port } = lame.address() as AddressInfo;
      const response = await fetch(`http://127.0.0.1:${port}/api/v1/dispatch/config/${newItemType()}`);
      expect(response.status).toBe(503);
      expect(await response.json()).toMatchObject({ code: 'QUEUE_UNAVAILABLE' });
      expect(response.headers.get('retry-after')).toBe('5');
    } finally {
      lame.closeAllConnections();
      await new Promise((resolve) => lame.close(resolve));
      await away.end();
    }
  });

  it('shows an item with what happened to it, and not its context', async () => {
    const itemType = newItemType();
    await queue.writeConfig({ itemType, config: settings, by: 'test' });
    await queue.enqueue([
      {
        itemType,
        itemId: 'a/b',
        contextJson: '{"account":"secret"}',
        contextVersion: 1,
        scheduledExecTime: new Date('2026-05-01T16:00:00Z'),
        initWorkflowId: 'init-a',
      },
    ]);
    const found = await call(reader.key, `/items/${itemType}/${encodeURIComponent('a/b')}`);
    expect(found).toMatchObject({
      status: 200,
      body: {
        itemId: 'a/b',
        status: 'READY',
        scheduledExecTime: '2026-05-01T16:00:00.000Z',
        auditTrail: [{ action: 'ENQUEUED', statusAfter: 'READY' }],
      },
    });
    expect(JSON.stringify(found.body)).not.toContain('secret');
    expect(await call(reader.key, `/items/${itemType}/none`)).toMatchObject({
      status: 404,
      body: { code: 'ITEM_NOT_FOUND' },
    });
  });
});
