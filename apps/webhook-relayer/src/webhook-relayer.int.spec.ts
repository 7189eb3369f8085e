import { createHmac, randomUUID } from 'node:crypto';
import { createPgOutbox } from '@sluice/outbox';
import { inTransaction } from '@sluice/service-kit/pg';
import { Webhook } from 'standardwebhooks';
import { startRelayer } from './testing/relayer.js';
import type { Relayer } from './testing/relayer.js';
import { createScene } from './testing/scene.js';
import { until } from './testing/until.js';

const name = process.env.TEST_NAME ?? 'test';
let relayer: Relayer;
const { subscribe, post, finished, attempts, deliveriesOf } = createScene(() => relayer, name);

beforeAll(async () => {
  relayer = await startRelayer({ name });
});
afterAll(() => relayer.close());

const verifies = (secret: string, line: { body: string; headers: Record<string, string> }): boolean => {
  try {
    new Webhook(secret).verify(line.body, line.headers);
    return true;
  } catch {
    return false;
  }
};

describe('an event', () => {
  it('goes through Kafka to one delivery, signed over the very bytes that came in', async () => {
    const { type, hook, secret } = await subscribe();
    const sent = `{"type":"${type}", "source":"shop","data":{"amount":1.10,"big":9007199254740993}}`;
    const { status, body, headers } = await relayer.call('POST /events', sent);
    const id = String(body['id']);
    expect([status, headers.get('location')]).toEqual([202, `/events/${id}`]);

    const [line] = await hook.arrived(1);
    expect(line?.body).toMatch(new RegExp(`^{"id":"${id}","time":"[^"]+",`));
    expect(line?.body.endsWith(sent.slice(1))).toBe(true);
    expect(new Webhook(secret).verify(line?.body ?? '', line?.headers ?? {})).toMatchObject({ id, type });
    expect(line?.headers['webhook-id']).toBe(id);

    const event = await finished(id);
    expect(event).toMatchObject({ status: 'delivered', body: line?.body });
    expect(event['deliveries']).toMatchObject([{ status: 'delivered', attempts: 1, replays: 0 }]);
    expect(await attempts(id)).toMatchObject([{ outcome: 'delivered', statusCode: 200, replayNo: 0 }]);
    expect(await hook.received()).toHaveLength(1);
  });

  it('is stored and delivered once, however often it comes, and refused with another body', async () => {
    const { type, hook } = await subscribe();
    const event = { id: `evt-${randomUUID()}`, type, source: 'shop', data: { n: 1 } };
    const answers = await Promise.all(Array.from({ length: 5 }, () => relayer.call('POST /events', event)));
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202, 202, 202]);
    const other = { ...event, data: { n: 2 } };
    const conflict = { status: 409, body: { code: 'EVENT_ID_CONFLICT', eventId: event.id } };
    expect(await relayer.call('POST /events', other)).toMatchObject(conflict);
    await finished(event.id);
    expect((await relayer.call('POST /events', event)).status).toBe(202);
    expect(await relayer.call('POST /events', other)).toMatchObject(conflict);
    // One of the same subject comes after all of these on the way.
    const last = await post({ type, subject: event.id });
    await finished(last);
    expect((await hook.received()).map(({ headers }) => headers['webhook-id']).sort()).toEqual(
      [event.id, last].sort(),
    );
    expect(await conflicts()).toBe(0);
  });

  it('gets one of two bodies under its id, when both come at the same time', async () => {
    const { type, hook } = await subscribe();
    const id = `evt-${randomUUID()}`;
    const answers = await Promise.all(
      [1, 2, 3, 4].map((n) => relayer.call('POST /events', { id, type, source: 'shop', data: { n } })),
    );
    const taken = answers.map(({ status }, at) => (status === 202 ? at + 1 : 0)).filter((n) => n > 0);
    expect(taken).toHaveLength(1);
    await finished(id);
    const lines = await hook.received();
    expect(lines.map(({ body }) => (JSON.parse(body) as { data: { n: number } }).data.n)).toEqual(taken);
  });

  it('takes its id from the header Idempotency-Key when it has none', async () => {
    const { type } = await subscribe();
    const id = `evt-${randomUUID()}`;
    const headers = { 'idempotency-key': id };
    const event = { type, source: 'shop', data: {} };
    for (let count = 0; count < 2; count += 1)
      expect((await relayer.call('POST /events', event, { headers })).body['id']).toBe(id);
    expect((await relayer.call('POST /events', { ...event, data: { a: 1 } }, { headers })).status).toBe(409);
    expect((await relayer.call('POST /events', { ...event, id: 'other' }, { headers })).status).toBe(422);
  });

  it('that nobody wants is stored and done', async () => {
    const id = await post({ type: `t${randomUUID()}` });
    expect(await finished(id)).toMatchObject({ status: 'delivered', deliveries: [] });
  });

  it('reaches those who ask for its type, for a prefix of it or for everything, and nobody else', async () => {
    const word = `w${randomUUID()}`;
    const asked = [
      `${word}.a.b`,
      `${word}.a.*`,
      `${word}.*`,
      '*',
      `${word}.a`,
      `${word}.a.b.*`,
      `${word}.c.*`,
    ];
    const made = await Promise.all(asked.map((eventType) => subscribe({ eventTypes: [eventType] })));
    const event = await finished(await post({ type: `${word}.a.b` }));
    const reached = new Set(deliveriesOf(event).map(({ subscriptionId }) => subscriptionId));
    expect(asked.filter((_, at) => reached.has(made[at]?.id ?? ''))).toEqual(asked.slice(0, 4));
    // Nobody else's test should meet this one.
    await relayer.call(`DELETE /subscriptions/${made[3]?.id}`);
  });

  it('comes from the outbox in the order of its payment', async () => {
    const { type, hook } = await subscribe();
    const outbox = createPgOutbox(relayer.outside.pool);
    const paymentId = randomUUID();
    const ids = ['accepted', 'processing'].map((step) => `evt-${paymentId}-payment.${step}`);
    const entries = ids.map((id) => ({
      instructionId: id,
      participantId: `event:${paymentId}`,
      idempotencyKey: id,
      railType: 'EVENT',
      payload: { id, type, source: 'sluice', time: new Date().toISOString(), data: { paymentId } },
    }));
    await inTransaction(relayer.outside.pool, (client) => outbox.enqueue(client, entries));
    outbox.announce();
    await hook.arrived(2);
    for (const id of ids) await finished(id);
    const { rows } = await relayer.outside.pool.query<{ id: string }>(
      'SELECT id FROM webhook_events WHERE ordering_key = $1 ORDER BY kafka_offset',
      [`event:${paymentId}`],
    );
    expect(rows.map(({ id }) => id)).toEqual(ids);
  });
});

/** So many messages became dead letters because of their id. */
async function conflicts(): Promise<number> {
  const text = await relayer.registry.getSingleMetricAsString('webhook_relayer_messages_total');
  const line = text.split('\n').find((one) => one.includes('"EVENT_ID_CONFLICT"'));
  return Number(line?.split(' ').at(-1) ?? 0);
}

describe('test 11: signatures on the wire', () => {
  it('verify with both secrets while they are rotated, and with the new one alone afterwards', async () => {
    const { id, type, hook, secret: first } = await subscribe();
    const rotate = async (overlapSeconds: number): Promise<string> =>
      String(
        (await relayer.call(`POST /subscriptions/${id}/rotate-secret`, { overlapSeconds })).body['secret'],
      );
    const second = await rotate(3_600);
    await finished(await post({ type }));
    const third = await rotate(0);
    await finished(await post({ type }));
    const [during, after] = await hook.arrived(2);
    if (during === undefined || after === undefined) throw new Error('two requests were there');
    expect([first, second, third].map((secret) => verifies(secret, during))).toEqual([true, true, false]);
    expect([first, second, third].map((secret) => verifies(secret, after))).toEqual([false, false, true]);
  });

  it('of a secret that has expired are gone without anybody doing anything', async () => {
    const { id, type, hook, secret } = await subscribe();
    await relayer.call(`POST /subscriptions/${id}/rotate-secret`, { overlapSeconds: 1 });
    await until('the end of the overlap', async () => {
      const { body } = await relayer.call(`GET /subscriptions/${id}`);
      return (body['secrets'] as unknown[]).length === 1 ? true : undefined;
    });
    await finished(await post({ type }));
    const [line] = await hook.arrived(1);
    expect(line !== undefined && verifies(secret, line)).toBe(false);
  });

  it('come in the older form too for those who ask for it', async () => {
    const { type, hook, secret } = await subscribe({ signatureForm: 'standard_and_legacy' });
    await finished(await post({ type }));
    const [line] = await hook.arrived(1);
    if (line === undefined) throw new Error('a request was there');
    expect(line.headers['x-signature']).toBe(createHmac('sha256', secret).update(line.body).digest('hex'));
    expect(verifies(secret, line)).toBe(true);
  });

  it('go beside the headers of the customer', async () => {
    const { type, hook, secret } = await subscribe({
      headers: { Authorization: 'Bearer abc', 'X-Shop': '7' },
    });
    await finished(await post({ type }));
    const [line] = await hook.arrived(1);
    expect(line?.headers).toMatchObject({ authorization: 'Bearer abc', 'x-shop': '7' });
    expect(line !== undefined && verifies(secret, line)).toBe(true);
  });
});

describe('a subscription', () => {
  it('that is paused lets its deliveries wait, and gets all of them when it is resumed', async () => {
    const { id, type, hook } = await subscribe();
    await relayer.call(`POST /subscriptions/${id}/pause`, {});
    const ids = [await post({ type }), await post({ type })];
    const waiting = await until('both deliveries', async () => {
      const { body } = await relayer.call(`GET /deliveries?subscriptionId=${id}&status=pending`);
      const rows = body['deliveries'] as { eventId: string }[];
      return rows.length === 2 ? rows : undefined;
    });
    expect(waiting.map(({ eventId }) => eventId).sort()).toEqual([...ids].sort());
    expect(await hook.received()).toEqual([]);
    await relayer.call(`POST /subscriptions/${id}/resume`);
    for (const eventId of ids) expect(await finished(eventId)).toMatchObject({ status: 'delivered' });
  });

  it('gets a test event, whatever types it asks for, and sees what came of it', async () => {
    const { id, hook, secret } = await subscribe({ eventTypes: ['something.else'] });
    const { status, body } = await relayer.call(`POST /subscriptions/${id}/test`);
    expect(status).toBe(202);
    const [line] = await hook.arrived(1);
    expect(line !== undefined && verifies(secret, line)).toBe(true);
    expect(JSON.parse(line?.body ?? '{}')).toMatchObject({
      type: 'webhook.test',
      data: { subscriptionId: id },
    });
    const event = await finished(String(body['eventId']));
    expect(deliveriesOf(event)).toMatchObject([{ id: body['deliveryId'], status: 'delivered' }]);
  });

  it('that fails a test event is not bothered with it again', async () => {
    const { id, hook } = await subscribe();
    await hook.behave({ status: 500 });
    const { body } = await relayer.call(`POST /subscriptions/${id}/test`);
    expect(await finished(String(body['eventId']))).toMatchObject({ status: 'failed' });
    expect(await hook.received()).toHaveLength(1);
  });

  it('goes by its new settings at once', async () => {
    const before = await subscribe();
    const after = await subscribe();
    await relayer.call(`PATCH /subscriptions/${before.id}`, { url: after.hook.url });
    await finished(await post({ type: before.type }));
    expect(await after.hook.received()).toHaveLength(1);
    expect(await before.hook.received()).toEqual([]);
  });

  it('shows its customer how it is doing', async () => {
    const { id, type, hook } = await subscribe();
    await hook.behave({ status: 404, body: 'no such shop', times: 1 });
    await finished(await post({ type }));
    await finished(await post({ type }));
    const health = await until('the sums', async () => {
      const { body } = await relayer.call(`GET /subscriptions/${id}/health`);
      return body['successRate'] === 0.5 ? body : undefined;
    });
    expect(health).toMatchObject({
      attempts: { delivered: 1, retried: 0, failed: 1 },
      circuit: { state: 'closed' },
      failingSince: null,
      lastError: { statusCode: 404 },
    });
    expect(health['p95Ms']).toEqual(expect.any(Number));
  });
});

describe('a replay', () => {
  it('of one sends the same event under the same webhook-id, and is marked', async () => {
    const { type, hook, secret } = await subscribe();
    await hook.behave({ status: 404, times: 1 });
    const eventId = await post({ type });
    const [failed] = deliveriesOf(await finished(eventId));
    expect(failed?.status).toBe('failed');
    const replay = await relayer.call(`POST /deliveries/${failed?.id}/replay`, { reason: 'mended' });
    expect(replay).toMatchObject({ status: 202, body: { replays: 1 } });
    expect(await finished(eventId)).toMatchObject({ deliveries: [{ status: 'delivered', replays: 1 }] });

    const lines = await hook.received();
    expect(lines.map(({ headers }) => headers['webhook-id'])).toEqual([eventId, eventId]);
    expect(lines.map(({ headers }) => headers['webhook-replay'])).toEqual([undefined, '1']);
    expect(new Set(lines.map(({ body }) => body)).size).toBe(1);
    for (const line of lines) expect(verifies(secret, line)).toBe(true);
    expect(await attempts(eventId)).toMatchObject([
      { outcome: 'failed', attemptNo: 1, replayNo: 0 },
      { outcome: 'delivered', attemptNo: 1, replayNo: 1 },
    ]);
  });

  it('of a span goes to those that failed, and to nobody who has the event', async () => {
    const failing = await subscribe();
    const taking = await subscribe({ eventTypes: [failing.type] });
    await failing.hook.behave({ status: 400, times: 3 });
    const ids = [];
    for (let count = 0; count < 3; count += 1) ids.push(await post({ type: failing.type }));
    for (const id of ids) expect(await finished(id)).toMatchObject({ status: 'failed' });
    const { body } = await relayer.call('POST /deliveries/replay', {
      eventType: failing.type,
      createdFrom: new Date(Date.now() - 600_000).toISOString(),
      createdBefore: new Date(Date.now() + 600_000).toISOString(),
      dryRun: false,
    });
    expect(body).toMatchObject({ replayed: 3, more: false });
    for (const id of ids) expect(await finished(id)).toMatchObject({ status: 'delivered' });
    expect(await failing.hook.received()).toHaveLength(6);
    expect(await taking.hook.received()).toHaveLength(3);
  });
});

describe('a tenant', () => {
  it('gets its own events only, also when another has the same type and the same id', async () => {
    const ours = await subscribe();
    const theirs = await subscribe({ eventTypes: [ours.type] }, 'acme');
    const id = `evt-${randomUUID()}`;
    await post({ id, type: ours.type, data: { of: 'default' } });
    await post({ id, type: ours.type, data: { of: 'acme' } }, 'acme');
    await finished(id);
    await finished(id, 'acme');
    const contents = async (hook: typeof ours.hook) =>
      (await hook.received()).map(({ body }) => (JSON.parse(body) as { data: { of: string } }).data.of);
    expect(await contents(ours.hook)).toEqual(['default']);
    expect(await contents(theirs.hook)).toEqual(['acme']);
  });
});
