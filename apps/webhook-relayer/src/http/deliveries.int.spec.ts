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

describe('the list of deliveries', () => {
  it('has every delivery once, newest first, with filters and pages', async () => {
    const { body } = await create();
    const id = String(body['id']);
    const made: string[] = [];
    for (let count = 0; count < 5; count += 1)
      made.unshift(String((await relayer.call(`POST /subscriptions/${id}/test`)).body['deliveryId']));
    await relayer.outside.pool.query(
      `UPDATE webhook_deliveries SET status = 'failed', finished_at = now() WHERE id = ANY ($1::bigint[])`,
      [made.slice(0, 2)],
    );
    const list = async (query: string) => {
      const seen: string[] = [];
      let cursor = '';
      do {
        const { body: page } = await relayer.call(
          `GET /deliveries?limit=2&subscriptionId=${id}${query}${cursor}`,
        );
        const rows = page['deliveries'] as { id: string }[];
        expect(rows.length).toBeLessThanOrEqual(2);
        seen.push(...rows.map((row) => row.id));
        cursor = typeof page['nextCursor'] === 'string' ? `&cursor=${page['nextCursor']}` : '';
      } while (cursor !== '');
      return seen;
    };
    expect(await list('')).toEqual(made);
    expect(await list('&status=failed')).toEqual(made.slice(0, 2));
    expect(await list('&status=pending&eventType=webhook.test')).toEqual(made.slice(2));
    expect(await list('&eventType=other')).toEqual([]);
    expect(await list(`&createdBefore=2020-01-01T00:00:00Z&createdFrom=2019-01-01T00:00:00Z`)).toEqual([]);
    expect(await relayer.call('GET /deliveries?cursor=nonsense')).toMatchObject({ status: 422 });
  });
});

describe('replays', () => {
  const finish = (ids: readonly unknown[], status: string) =>
    relayer.outside.pool.query(
      `UPDATE webhook_deliveries SET status = $2, attempts = 3, finished_at = now() WHERE id = ANY ($1::bigint[])`,
      [ids, status],
    );

  it('of a span begin with a dry run, and take only what failed', async () => {
    const { body } = await create();
    const subscriptionId = String(body['id']);
    const made: string[] = [];
    for (let count = 0; count < 4; count += 1)
      made.push(
        String((await relayer.call(`POST /subscriptions/${subscriptionId}/test`)).body['deliveryId']),
      );
    await finish(made.slice(0, 3), 'failed');
    await finish(made.slice(3), 'delivered');
    const span = {
      subscriptionId,
      createdFrom: new Date(Date.now() - 3_600_000).toISOString(),
      createdBefore: new Date(Date.now() + 3_600_000).toISOString(),
    };
    const replay = (changes: object) => relayer.call('POST /deliveries/replay', { ...span, ...changes });

    expect((await replay({ limit: 2 })).body).toEqual({
      dryRun: true,
      matched: 2,
      replayed: 0,
      deliveryIds: made.slice(0, 2),
      more: true,
    });
    const failed = await relayer.call(`GET /deliveries?status=failed&subscriptionId=${subscriptionId}`);
    expect(failed.body['deliveries']).toHaveLength(3);

    const done = await replay({ dryRun: false, reason: 'mended' });
    expect(done.body).toMatchObject({
      dryRun: false,
      replayed: 3,
      deliveryIds: made.slice(0, 3),
      more: false,
    });
    const again = await replay({ dryRun: false });
    expect(again.body).toMatchObject({ matched: 0, replayed: 0 });
    const { body: list } = await relayer.call(
      `GET /deliveries?status=pending&subscriptionId=${subscriptionId}`,
    );
    expect(list['deliveries']).toMatchObject(
      made
        .slice(0, 3)
        .reverse()
        .map((id) => ({ id, attempts: 0, replays: 1, finishedAt: null })),
    );
    expect(
      (await audit(subscriptionId)).filter((line) => line === 'delivery.replayed by default'),
    ).toHaveLength(3);
    expect(await replay({ createdBefore: span.createdFrom })).toMatchObject({ status: 422 });
  });

  it('of one are refused while it is under way, and when its subscription has ended', async () => {
    const { body } = await create();
    const { deliveryId } = (await relayer.call(`POST /subscriptions/${String(body['id'])}/test`)).body;
    const replay = () => relayer.call(`POST /deliveries/${String(deliveryId)}/replay`, {});
    expect(await replay()).toMatchObject({ status: 409, body: { code: 'DELIVERY_NOT_FINISHED' } });
    await finish([deliveryId], 'delivered');
    expect(await replay()).toMatchObject({
      status: 202,
      body: { status: 'pending', replays: 1, attempts: 0 },
    });
    await finish([deliveryId], 'cancelled');
    await relayer.call(`DELETE /subscriptions/${String(body['id'])}`);
    expect(await replay()).toMatchObject({ status: 409, body: { code: 'SUBSCRIPTION_ENDED' } });
    expect(await relayer.call('POST /deliveries/999999999/replay', {})).toMatchObject({ status: 404 });
  });
});
