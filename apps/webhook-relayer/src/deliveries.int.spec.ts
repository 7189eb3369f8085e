import { randomUUID } from 'node:crypto';
import { startRelayer } from './testing/relayer.js';
import type { Relayer } from './testing/relayer.js';
import { createScene } from './testing/scene.js';
import { openHook } from './testing/sink.js';
import { until } from './testing/until.js';

const name = process.env.TEST_NAME ?? 'test';
let relayer: Relayer;
const { subscribe, post, finished, attempts, deliveriesOf } = createScene(() => relayer, name);

beforeAll(async () => {
  relayer = await startRelayer({ name, variables: { SLUICE_CIRCUIT_OPEN_SECONDS: '1' } });
});
afterAll(() => relayer.close());

const outcomes = async (eventId: string) =>
  (await attempts(eventId)).map((one) => [one['outcome'], one['statusCode']]);

describe('guarantee 1: one event for three subscriptions', () => {
  it('ends for each of them as its own endpoint decides: one fails, one is slow, one is gone', async () => {
    const type = `t${randomUUID()}`;
    const behaviours = { failing: { status: 404 }, slow: { delayMs: 1_500 }, gone: { status: 410 } };
    const ids: Record<string, string> = {};
    for (const [key, behaviour] of Object.entries(behaviours)) {
      const one = await subscribe({ eventTypes: [type] });
      await one.hook.behave(behaviour);
      ids[key] = one.id;
    }
    const event = await finished(await post({ type }));
    const statusOf = (id?: string) => deliveriesOf(event).find((one) => one.subscriptionId === id)?.status;
    expect([statusOf(ids['failing']), statusOf(ids['slow']), statusOf(ids['gone'])]).toEqual([
      'failed',
      'delivered',
      'failed',
    ]);
    const { body } = await relayer.call(`GET /subscriptions/${ids['gone'] ?? ''}`);
    expect(body).toMatchObject({ status: 'disabled', statusReason: 'GONE' });
  });

  it('tells the tenant by an event of its own that a subscription was disabled', async () => {
    const notices = openHook(process.env.SINK_URL ?? '', name);
    await relayer.call('POST /subscriptions', { url: notices.url, eventTypes: ['webhook.subscription.*'] });
    const { id, type, hook } = await subscribe();
    await hook.behave({ status: 410 });
    await post({ type });
    const line = await until('the notice', async () =>
      (await notices.received()).find(({ body }) => body.includes(id)),
    );
    expect(JSON.parse(line.body)).toMatchObject({
      type: 'webhook.subscription.disabled',
      data: { subscriptionId: id, reason: 'GONE' },
    });
    expect(line.body).not.toContain('tenantId');
  });
});

describe('a delivery', () => {
  it('is tried again after a 500, with the same id and a signature of its own time', async () => {
    const { type, hook } = await subscribe();
    await hook.behave({ status: 500, body: 'broken', times: 1 });
    const id = await post({ type });
    expect(await finished(id)).toMatchObject({ status: 'delivered', deliveries: [{ attempts: 2 }] });
    const lines = await hook.received();
    expect(lines.map(({ status }) => status)).toEqual([500, 200]);
    expect(new Set(lines.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(await outcomes(id)).toEqual([
      ['retry', 500],
      ['delivered', 200],
    ]);
  });

  it('that meets an open circuit waits without using an attempt, and goes out when the endpoint is back', async () => {
    const { id: subscriptionId, type, hook } = await subscribe({ retryProfile: 'long' });
    await hook.behave({ status: 503 });
    for (let count = 0; count < 5; count += 1) await post({ type });
    await until('the circuit is open', async () => {
      const { body } = await relayer.call(`GET /subscriptions/${subscriptionId}/health`);
      return JSON.stringify(body).includes('"open"') ? true : undefined;
    });
    const late = await post({ type });
    const { body } = await until('the event is stored', async () => {
      const answer = await relayer.call(`GET /events/${late}`);
      return answer.status === 200 ? answer : undefined;
    });
    expect(deliveriesOf(body)).toMatchObject([{ attempts: 0 }]);
    await hook.behave();
    expect(await finished(late)).toMatchObject({ status: 'delivered', deliveries: [{ attempts: 1 }] });
  });
});

describe('guarantee 12: a dead endpoint with 50,000 deliveries waiting', () => {
  it('is not touched while its circuit is open, and holds up nobody', async () => {
    const dead = await subscribe({ url: 'http://127.0.0.1:1/' });
    const pool = relayer.outside.pool;
    await pool.query(
      `INSERT INTO webhook_events (tenant_id, id, type, source, occurred_at, ordering_key, body)
       SELECT 'default', 'dead-' || n, $1, 'test', now(), 'k', '{}' FROM generate_series(1, 50000) n`,
      [dead.type],
    );
    await pool.query(
      `INSERT INTO webhook_deliveries (tenant_id, event_id, event_type, subscription_id, max_attempts)
       SELECT 'default', 'dead-' || n, $1, $2, 5 FROM generate_series(1, 50000) n`,
      [dead.type, dead.id],
    );
    const healthy = await Promise.all(Array.from({ length: 10 }, () => subscribe()));
    const ids: string[] = [];
    for (let round = 0; round < 5; round += 1) {
      for (const { type } of healthy) ids.push(await post({ type }));
    }
    for (const id of ids)
      expect(await finished(id)).toMatchObject({ status: 'delivered', deliveries: [{ attempts: 1 }] });
    const { rows } = await pool.query<{ touched: number }>(
      `SELECT count(*)::integer AS touched FROM webhook_deliveries WHERE subscription_id = $1 AND (attempts > 0 OR deferrals > 0)`,
      [dead.id],
    );
    // A first batch until the circuit opens, and a few probes each time that it is tried.
    expect(rows[0]?.touched).toBeLessThan(500);
  });
});
