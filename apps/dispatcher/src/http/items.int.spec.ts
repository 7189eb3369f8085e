import { randomBytes } from 'node:crypto';
import type { NewItem } from '@sluice/queue-core';
import { startAdminApi } from '../testing/admin-api.js';

const settings = {
  enabled: true,
  batchSize: 500,
  dispatchIntervalSecs: 5,
  jitterWindowMs: 0,
  preStartBufferMins: 2,
  maxDispatchRetries: 5,
  staleClaimThresholdMins: 2,
  execWorkflowType: 'SampleWorkflow',
  execTaskQueue: 'sample-task-queue',
};

describe('items in the dispatch admin API', () => {
  let api: Awaited<ReturnType<typeof startAdminApi>>;

  beforeAll(async () => {
    api = await startAdminApi(process.env['PG_URL'] ?? '');
  });
  afterAll(() => api.close());

  async function fill(...ids: string[]): Promise<string> {
    const itemType = `I${randomBytes(8).toString('hex').toUpperCase()}`;
    await api.queue.writeConfig({ itemType, config: settings, by: 'test' });
    await api.queue.enqueue(ids.map((itemId) => itemOf(itemType, itemId)));
    return itemType;
  }

  const itemOf = (itemType: string, itemId: string, changes: Partial<NewItem> = {}): NewItem => ({
    itemType,
    itemId,
    contextJson: '{"account":"secret"}',
    contextVersion: 1,
    scheduledExecTime: new Date('2025-05-01T16:00:00Z'),
    initWorkflowId: `init-${itemId}`,
    ...changes,
  });

  async function exhaust(itemType: string, errors: Readonly<Record<string, string>>): Promise<void> {
    for (const [itemId, error] of Object.entries(errors)) {
      const held = { itemType, token: `X-${itemId}` };
      await api.queue.enqueue([itemOf(itemType, itemId)]);
      await api.queue.claim({ ...held, limit: 1 });
      await api.queue.exhaust({ ...held, failures: [{ itemId, error }] });
    }
  }

  it('shows an item with what happened to it, and not its context', async () => {
    const itemType = await fill('a/b');
    const found = await api.asReader(`GET /items/${itemType}/${encodeURIComponent('a/b')}`);
    expect(found).toMatchObject({
      status: 200,
      body: {
        itemId: 'a/b',
        status: 'READY',
        scheduledExecTime: '2025-05-01T16:00:00.000Z',
        auditTrail: [{ action: 'ENQUEUED', statusAfter: 'READY', actor: null }],
      },
    });
    expect(JSON.stringify(found.body)).not.toContain('secret');
    expect(await api.asReader(`GET /items/${itemType}/none`)).toMatchObject({
      status: 404,
      body: { code: 'ITEM_NOT_FOUND' },
    });
  });

  it('cancels a READY item, and nothing else', async () => {
    const itemType = await fill('a');
    const reason = { reason: 'withdrawn by the customer' };
    expect(await api.asAdmin(`POST /items/${itemType}/a/cancel`, reason)).toMatchObject({
      status: 200,
      body: { itemId: 'a', status: 'CANCELLED' },
    });
    expect(await api.asAdmin(`POST /items/${itemType}/a/cancel`, reason)).toMatchObject({
      status: 409,
      body: { code: 'ITEM_NOT_READY', itemStatus: 'CANCELLED' },
    });
    expect((await api.asAdmin(`POST /items/${itemType}/none/cancel`, reason)).status).toBe(404);
    const { body } = await api.asReader(`GET /items/${itemType}/a`);
    expect(body['auditTrail']).toMatchObject([
      { action: 'ENQUEUED' },
      { action: 'CANCELLED', actor: 'admin', detail: 'withdrawn by the customer' },
    ]);
  });

  it('requeues an EXHAUSTED item, and nothing else', async () => {
    const itemType = await fill();
    await exhaust(itemType, { a: 'no such namespace' });
    const reason = { reason: 'the namespace exists now' };
    expect(await api.asAdmin(`POST /items/${itemType}/a/requeue`, reason)).toMatchObject({
      status: 200,
      body: { itemId: 'a', status: 'READY' },
    });
    expect(await api.asAdmin(`POST /items/${itemType}/a/requeue`, reason)).toMatchObject({
      status: 409,
      body: { code: 'ITEM_NOT_EXHAUSTED', itemStatus: 'READY' },
    });
    expect((await api.asAdmin(`POST /items/${itemType}/none/requeue`, reason)).status).toBe(404);
    const found = await api.queue.findItem(itemType, 'a');
    expect(found?.trail.at(-1)).toMatchObject({
      action: 'REQUEUED',
      actor: 'admin',
      detail: 'the namespace exists now',
    });
  });

  it('lists EXHAUSTED items page by page', async () => {
    const itemType = await fill();
    await exhaust(itemType, { a: 'one', b: 'two', c: 'one' });
    const first = await api.asReader(`GET /exhausted/${itemType}?limit=2`);
    expect(first).toMatchObject({
      status: 200,
      body: { items: [{ itemId: 'a', lastError: 'one' }, { itemId: 'b' }] },
    });
    const cursor = String(first.body['nextCursor']);
    const second = await api.asReader(`GET /exhausted/${itemType}?limit=2&cursor=${cursor}`);
    expect(second.body).toMatchObject({ items: [{ itemId: 'c' }], nextCursor: null });
    const filtered = await api.asReader(`GET /exhausted/${itemType}?errorContains=one`);
    expect(filtered.body).toMatchObject({ items: [{ itemId: 'a' }, { itemId: 'c' }] });
    const before = encodeURIComponent('2025-01-01T00:00:00+02:00');
    const none = await api.asReader(`GET /exhausted/${itemType}?exhaustedBefore=${before}`);
    expect(none.body).toEqual({ items: [], nextCursor: null });
  });

  it.each([
    'limit=0',
    'limit=501',
    'limit=x',
    'cursor=x',
    'cursor=e30',
    'exhaustedFrom=2025-01-01',
    'page=2',
  ])('refuses the query %s', async (query) => {
    expect((await api.asReader(`GET /exhausted/SAMPLE?${query}`)).status).toBe(422);
  });

  it('requeues many by a filter, and before that only shows which', async () => {
    const itemType = await fill();
    await exhaust(itemType, { a: 'one', b: 'two', c: 'one', d: 'one' });
    const path = `POST /exhausted/${itemType}/requeue`;
    const order = { reason: 'mended', errorContains: 'one', limit: 2 };
    expect((await api.asAdmin(path, order)).body).toEqual({
      dryRun: true,
      matched: 2,
      requeued: 0,
      itemIds: ['a', 'c'],
      refused: [],
      more: true,
    });
    expect(await api.queue.measureDepth(itemType, 10)).toMatchObject({ ready: 0, exhausted: 4 });
    expect((await api.asAdmin(path, { ...order, dryRun: false })).body).toMatchObject({
      dryRun: false,
      requeued: 2,
      itemIds: ['a', 'c'],
      more: true,
    });
    expect((await api.asAdmin(path, { ...order, dryRun: false })).body).toMatchObject({
      requeued: 1,
      itemIds: ['d'],
      more: false,
    });
    expect(await api.queue.measureDepth(itemType, 10)).toMatchObject({ ready: 3, exhausted: 1 });
    const { changes } = await api.queue.listChanges({ itemType, limit: 10 });
    expect(changes.filter(({ action }) => action === 'REQUEUED')).toHaveLength(3);
  });

  it('counts items by status, each count up to the cap', async () => {
    const itemType = await fill('a', 'b', 'c', 'd', 'e');
    await api.queue.cancel({ itemType, itemIds: ['e'], reason: 'x', by: 'test' });
    await api.queue.claim({ itemType, token: 'T', limit: 1 });
    const { status, body } = await api.asReader(`GET /depth/${itemType}?cap=2`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      itemType,
      cap: 2,
      statuses: [
        { status: 'READY', count: 2, exact: false },
        { status: 'CLAIMED', count: 1, exact: true },
        { status: 'EXHAUSTED', count: 0, exact: true },
        { status: 'DISPATCHED', count: 0, exact: true },
        { status: 'CANCELLED', count: 1, exact: true },
      ],
    });
    expect(body['oldestDueSeconds']).toBeGreaterThan(3_600);
  });

  it('counts READY items by the minute they are due in', async () => {
    const itemType = await fill();
    const at = (iso: string, ...ids: string[]) =>
      ids.map((id) => itemOf(itemType, id, { scheduledExecTime: new Date(iso) }));
    await api.queue.enqueue([
      ...at('2030-05-01T16:00:59Z', 'a', 'b', 'c'),
      ...at('2030-05-01T16:05:00Z', 'd'),
    ]);
    const { body } = await api.asReader(`GET /depth/${itemType}/minutes?cap=2`);
    expect(body).toEqual({
      itemType,
      cap: 2,
      minutes: [
        { minute: '2030-05-01T16:00:00.000Z', ready: 2, exact: false },
        { minute: '2030-05-01T16:05:00.000Z', ready: 1, exact: true },
      ],
    });
    const from = encodeURIComponent('2030-05-01T18:01:00+02:00');
    const later = await api.asReader(`GET /depth/${itemType}/minutes?from=${from}`);
    expect(later.body).toMatchObject({ minutes: [{ minute: '2030-05-01T16:05:00.000Z' }] });
  });
});
