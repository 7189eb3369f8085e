import { randomUUID } from 'node:crypto';
import { createPgOutbox } from '@sluice/outbox';
import { createLogger } from '@sluice/service-kit';
import { connectPg } from '@sluice/service-kit/pg';
import type { Pool } from '@sluice/service-kit/pg';
import type { ClaimedDelivery, DeliveryQueue, Settlement } from '../delivery-ports.js';
import type { EventStore, HandOver, ReceivedEvent } from '../ports.js';
import { createPgDeliveries } from './pg-deliveries.js';
import { createDisableSubscription } from './pg-disable-subscription.js';
import { createPgEvents } from './pg-events.js';
import { createPgHealth } from './pg-health.js';

const log = createLogger({ service: 'test', level: 'silent' });
const defaults = { maxConcurrency: 16, ratePerSecond: 100 };
const delivered: Settlement = {
  outcome: 'delivered',
  status: 'delivered',
  delayMs: 0,
  attemptsBack: 0,
  record: { durationMs: 3, statusCode: 200, responseBody: 'ok' },
};

let pool: Pool;
let queue: DeliveryQueue;
let events: EventStore;
let tenantId: string;
let offset = 0;

beforeAll(() => {
  pool = connectPg({ url: process.env.PG_URL ?? '', applicationName: 'test', log });
  const disable = createDisableSubscription(createPgOutbox(pool));
  queue = createPgDeliveries(pool, { defaults, disable });
  events = createPgEvents(pool, defaults);
});
afterAll(() => pool.end());
beforeEach(async () => {
  tenantId = randomUUID();
  // What earlier tests left waiting is out of the way.
  await pool.query(`UPDATE webhook_subscriptions SET status = 'deleted', status_reason = 'DELETED'`);
  while ((await queue.sweep(500)).cancelled > 0);
});

async function subscribe(eventTypes: string[], columns: Record<string, unknown> = {}): Promise<string> {
  const id = `sub_${randomUUID()}`;
  const { max_concurrency = null, retry_profile = 'default', status = 'active' } = columns;
  await pool.query(
    `INSERT INTO webhook_subscriptions (id, tenant_id, url, event_types, max_concurrency, retry_profile, status, status_reason)
     VALUES ($1, $2, 'https://example.com/', $3, $4, $5, $6, 'TEST')`,
    [id, tenantId, eventTypes, max_concurrency, retry_profile, status],
  );
  await pool.query(
    'INSERT INTO webhook_subscription_secrets (subscription_id, version, sealed_secret) VALUES ($1, 1, $2)',
    [id, Buffer.from('sealed')],
  );
  return id;
}

function event(type: string, changes: Partial<ReceivedEvent> = {}): ReceivedEvent {
  const id = randomUUID();
  return {
    tenantId,
    id,
    type,
    source: 'test',
    occurredAt: new Date(),
    orderingKey: 'k',
    body: Buffer.from(`{"id":"${id}"}`),
    origin: { topic: 't', partition: 0, offset: String((offset += 1)) },
    ...changes,
  };
}

const many = (count: number, type: string) => Array.from({ length: count }, () => event(type));
const noRoom = (): HandOver => ({
  token: randomUUID(),
  leaseMs: 60_000,
  room: 0,
  maxPerSubscription: 0,
  held: [],
});
const store = (...received: ReceivedEvent[]) => events.store(received, noRoom());
const findDue = (changes: Partial<Parameters<DeliveryQueue['findDue']>[0]> = {}) =>
  queue.findDue({ after: '', maxSubscriptions: 100, maxPerSubscription: 100, held: [], ...changes });
const claim = (subscriptionId: string, count: number, leaseMs = 60_000) =>
  queue.claim([{ subscriptionId, count }], { token: randomUUID(), leaseMs });

async function claimOne(subscriptionId: string, leaseMs = 60_000): Promise<ClaimedDelivery> {
  const [one] = await claim(subscriptionId, 1, leaseMs);
  if (one === undefined) throw new Error('nothing was due');
  return one;
}

const settle = async (one: ClaimedDelivery, settlement: Settlement) =>
  (await queue.settle([{ claim: one, settlement }]))[0];

async function stateOf(eventId: string) {
  const { rows } = await pool.query<{
    status: string;
    attempts: number;
    deferrals: number;
    last_error: string | null;
  }>(
    'SELECT status, attempts, deferrals, last_error FROM webhook_deliveries WHERE event_id = $1 ORDER BY id',
    [eventId],
  );
  return rows;
}

async function attemptsOf(eventId: string) {
  const { rows } = await pool.query<{ outcome: string; applied: boolean; attempt_no: number }>(
    'SELECT outcome, applied, attempt_no FROM webhook_delivery_attempts WHERE event_id = $1 ORDER BY id',
    [eventId],
  );
  return rows.map(({ outcome, applied, attempt_no }) => `${attempt_no} ${outcome}${applied ? '' : ' late'}`);
}

describe('storing events', () => {
  it('makes a delivery for each subscription that wants the type, also a paused one, and for no other', async () => {
    const wanting = [
      await subscribe(['payment.accepted']),
      await subscribe(['payment.*', 'payment.accepted']),
      await subscribe(['*'], { status: 'paused' }),
    ];
    await subscribe(['payment.failed']);
    await subscribe(['pay.*']);
    await subscribe(['*'], { status: 'disabled' });
    const stored = event('payment.accepted');
    await expect(store(stored, event('other', { tenantId: randomUUID() }))).resolves.toEqual({
      outcomes: ['stored', 'stored'],
      claims: [],
      waiting: 3,
    });
    const { rows } = await pool.query<{ subscription_id: string }>(
      'SELECT subscription_id FROM webhook_deliveries WHERE event_id = $1',
      [stored.id],
    );
    expect(rows.map((row) => row.subscription_id).sort()).toEqual(wanting.sort());
  });

  it('stores an event once, also when it comes twice in one batch, and tells a conflict from a repetition', async () => {
    await subscribe(['*']);
    const first = event('a');
    const other = { ...first, body: Buffer.from('other bytes') };
    const { outcomes } = await store(first, first, other);
    expect(outcomes).toEqual(['stored', 'duplicate', 'conflict']);
    expect((await store(other, first, event('b'))).outcomes).toEqual(['conflict', 'duplicate', 'stored']);
    expect(await stateOf(first.id)).toHaveLength(1);
  });

  it('leases first attempts at once, in turns and as far as there is room; those that are held wait', async () => {
    const [busy, quiet, held] = [
      await subscribe(['busy']),
      await subscribe(['quiet']),
      await subscribe(['held']),
    ];
    const paused = await subscribe(['busy'], { status: 'paused' });
    const batch = [...many(10, 'busy'), event('quiet'), event('held')];
    const handOver = { ...noRoom(), room: 5, maxPerSubscription: 8, held: [held] };
    const { claims, waiting } = await events.store(batch, handOver);
    const bySubscription = Map.groupBy(claims, ({ endpoint }) => endpoint.subscriptionId);
    expect(bySubscription.get(quiet)).toHaveLength(1);
    expect(bySubscription.get(busy)).toHaveLength(4);
    expect([bySubscription.get(held), bySubscription.get(paused)]).toEqual([undefined, undefined]);
    expect(waiting).toBe(6 + 1 + 10);
    const [one] = claims;
    expect(one).toMatchObject({ attemptNo: 1, maxAttempts: 5, token: handOver.token });
    expect(one?.body).toEqual(batch.find(({ id }) => id === one?.eventId)?.body);
    if (one !== undefined) expect(await settle(one, delivered)).toBe('recorded');
  });

  it('gives a delivery the attempts of its profile', async () => {
    const id = await subscribe(['a'], { retry_profile: 'long' });
    await store(event('a'));
    expect((await claimOne(id)).maxAttempts).toBe(11);
  });
});

describe('finding what is due', () => {
  it('goes from subscription to subscription, page by page, and counts no further than asked', async () => {
    const ids = [
      await subscribe(['a']),
      await subscribe(['b'], { max_concurrency: 3 }),
      await subscribe(['c']),
    ].sort();
    await store(...many(5, 'a'), ...many(2, 'b'), ...many(1, 'c'));
    const first = await findDue({ maxSubscriptions: 2, maxPerSubscription: 4 });
    const second = await findDue({ after: first.next, maxSubscriptions: 2, maxPerSubscription: 4 });
    expect([...first.subscriptions, ...second.subscriptions].map((one) => one.subscriptionId)).toEqual(ids);
    const counts = [...first.subscriptions, ...second.subscriptions].map(({ due }) => due).sort();
    expect([counts, second.next]).toEqual([[1, 2, 4], '']);
    const limits = [...first.subscriptions, ...second.subscriptions].map((one) => one.limits.maxConcurrency);
    expect(limits.sort((a, b) => a - b)).toEqual([3, 16, 16]);
  });

  it('leaves out what is held, paused, or not due yet', async () => {
    const held = await subscribe(['a']);
    await subscribe(['a'], { status: 'paused' });
    const later = await subscribe(['a']);
    await store(event('a'));
    await queue.defer([{ claim: await claimOne(later), reason: 'RATE', delayMs: 3_600_000 }]);
    expect((await findDue({ held: [held] })).subscriptions).toEqual([]);
    expect((await findDue()).subscriptions.map(({ subscriptionId }) => subscriptionId)).toEqual([held]);
  });
});

describe('claiming', () => {
  it('guarantee 4: two pollers over ten thousand deliveries never get the same one', async () => {
    const ids = await Promise.all(Array.from({ length: 10 }, () => subscribe(['a'])));
    for (let batch = 0; batch < 5; batch += 1) await store(...many(200, 'a'));
    const poller = async (): Promise<string[]> => {
      const claimed: string[] = [];
      for (;;) {
        const { subscriptions } = await findDue({ maxPerSubscription: 50 });
        if (subscriptions.length === 0) return claimed;
        const wanted = subscriptions.map(({ subscriptionId, due }) => ({ subscriptionId, count: due }));
        const claims = await queue.claim(wanted, { token: randomUUID(), leaseMs: 600_000 });
        claimed.push(...claims.map(({ id }) => id));
      }
    };
    const claimed = (await Promise.all([poller(), poller()])).flat();
    expect(claimed).toHaveLength(1_000 * ids.length);
    expect(new Set(claimed).size).toBe(1_000 * ids.length);
  });

  it('hands over what is needed to send, oldest first', async () => {
    const subscriptionId = await subscribe(['a']);
    const [first, second] = [event('a'), event('a')];
    await store(first);
    await store(second);
    const [claimed, next] = await claim(subscriptionId, 2);
    expect(claimed).toMatchObject({
      tenantId,
      attemptNo: 1,
      maxAttempts: 5,
      replayNo: 0,
      eventId: first.id,
      eventType: 'a',
      body: first.body,
      endpoint: {
        subscriptionId,
        url: 'https://example.com/',
        customHeaders: {},
        signatureForm: 'standard',
        retryProfile: 'default',
        sealedSecrets: [Buffer.from('sealed')],
        limits: defaults,
      },
    });
    expect(next?.eventId).toBe(second.id);
  });

  it('hands over the secrets that have not expired, newest first', async () => {
    const subscriptionId = await subscribe(['a']);
    await pool.query(
      `INSERT INTO webhook_subscription_secrets (subscription_id, version, sealed_secret, expires_at)
       VALUES ($1, 2, 'old', now() - interval '1 second'), ($1, 3, 'next', now() + interval '1 hour')`,
      [subscriptionId],
    );
    await store(event('a'));
    const { endpoint } = await claimOne(subscriptionId);
    expect(endpoint.sealedSecrets.map(String)).toEqual(['next', 'sealed']);
  });
});

describe('settling', () => {
  it('writes many outcomes at once, each to its delivery', async () => {
    const subscriptionId = await subscribe(['a']);
    const batch = many(3, 'a');
    await store(...batch);
    const claims = await claim(subscriptionId, 3);
    const failed = { ...delivered, outcome: 'failed', status: 'failed' } as const;
    const settlements = [
      delivered,
      { ...failed, record: { durationMs: 1, errorCode: 'HTTP_404' } },
      delivered,
    ];
    await queue.settle(claims.map((one, at) => ({ claim: one, settlement: settlements[at] ?? delivered })));
    const states = await Promise.all(claims.map(async ({ eventId }) => (await stateOf(eventId))[0]));
    expect(states.map((state) => [state?.status, state?.last_error])).toEqual([
      ['delivered', null],
      ['failed', 'HTTP_404'],
      ['delivered', null],
    ]);
  });

  it('puts a retry off by the given delay and counts the attempt', async () => {
    const subscriptionId = await subscribe(['a']);
    const stored = event('a');
    await store(stored);
    const record = { durationMs: 1, errorCode: 'HTTP_500' };
    const retry = { ...delivered, outcome: 'retry', status: 'pending', record } as const;
    await settle(await claimOne(subscriptionId), { ...retry, delayMs: 3_600_000 });
    expect((await findDue()).subscriptions).toEqual([]);
    expect(await stateOf(stored.id)).toEqual([
      { status: 'pending', attempts: 1, deferrals: 0, last_error: 'HTTP_500' },
    ]);
  });

  it('writes an outcome once, however often the write is repeated', async () => {
    const subscriptionId = await subscribe(['a']);
    const stored = event('a');
    await store(stored);
    const claimed = await claimOne(subscriptionId);
    expect(await settle(claimed, delivered)).toBe('recorded');
    expect(await settle(claimed, delivered)).toBe('recorded');
    expect(await attemptsOf(stored.id)).toEqual(['1 delivered']);
  });

  it('guarantee 5: a sender whose lease ran out in mid-call changes nothing, but has its attempt on record', async () => {
    const subscriptionId = await subscribe(['a']);
    const stored = event('a');
    await store(stored);
    const slow = await claimOne(subscriptionId, -1);
    expect((await queue.sweep(100)).expired).toBe(1);
    const next = await claimOne(subscriptionId);
    expect(await settle(slow, delivered)).toBe('late');
    expect(await stateOf(stored.id)).toMatchObject([{ status: 'in_flight', attempts: 2 }]);
    expect(await settle(next, delivered)).toBe('recorded');
    expect(await attemptsOf(stored.id)).toEqual(['1 lease_expired', '1 delivered late', '2 delivered']);
  });

  it('fails a delivery whose every sender died', async () => {
    const subscriptionId = await subscribe(['a']);
    const stored = event('a');
    await store(stored);
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      await claimOne(subscriptionId, -1);
      await queue.sweep(100);
    }
    expect(await stateOf(stored.id)).toEqual([
      { status: 'failed', attempts: 5, deferrals: 0, last_error: 'LEASE_EXPIRED' },
    ]);
    expect(await claim(subscriptionId, 10)).toEqual([]);
  });

  it('gives the attempt of a deferral back', async () => {
    const subscriptionId = await subscribe(['a']);
    const stored = event('a');
    await store(stored);
    await queue.defer([{ claim: await claimOne(subscriptionId), reason: 'CONCURRENCY', delayMs: 0 }]);
    expect(await stateOf(stored.id)).toEqual([
      { status: 'pending', attempts: 0, deferrals: 1, last_error: 'CONCURRENCY' },
    ]);
    expect((await claimOne(subscriptionId)).attemptNo).toBe(1);
  });
});

describe('the end of a subscription', () => {
  const noticesOf = async (subscriptionId: string) => {
    const { rows } = await pool.query<{ type: string; actor: string; reason: string; outbox: string }>(
      `SELECT type, actor, detail ->> 'reason' AS reason,
              (SELECT payload ->> 'type' FROM payment_outbox_pending WHERE participant_id = 'event:' || $1) AS outbox
       FROM webhook_operational_events WHERE subscription_id = $1`,
      [subscriptionId],
    );
    return rows.map(({ type, actor, reason, outbox }) => [type, actor, reason, outbox]);
  };

  it('comes with a 410: what waits for it is cancelled, and the tenant is told', async () => {
    const [subscriptionId, other] = [await subscribe(['a']), await subscribe(['a'])];
    const [first, second] = [event('a'), event('a')];
    await store(first);
    const gone = await claimOne(subscriptionId);
    await store(second);
    await settle(gone, { ...delivered, outcome: 'gone', status: 'failed' });
    expect((await queue.sweep(100)).cancelled).toBe(1);
    const { rows } = await pool.query(
      'SELECT id, status, status_reason FROM webhook_subscriptions WHERE id = ANY ($1)',
      [[subscriptionId, other]],
    );
    expect(rows).toEqual(
      expect.arrayContaining([
        { id: subscriptionId, status: 'disabled', status_reason: 'GONE' },
        { id: other, status: 'active', status_reason: 'TEST' },
      ]),
    );
    expect((await stateOf(second.id)).map(({ status }) => status).sort()).toEqual(['cancelled', 'pending']);
    expect(await attemptsOf(second.id)).toEqual(['0 cancelled']);
    const notice = ['subscription.disabled', 'sluice', 'GONE', 'webhook.subscription.disabled'];
    expect(await noticesOf(subscriptionId)).toEqual([notice]);
  });

  it('comes after days of nothing but failures, counted from the first to the last, and the tenant is told', async () => {
    const health = createPgHealth(pool, createDisableSubscription(createPgOutbox(pool)));
    const empty = { delivered: 0, retried: 0, failed: 0, durationBuckets: Array<number>(10).fill(0) };
    const failure = { ...empty, failed: 1, lastWasFailure: true, lastFailure: { errorCode: 'HTTP_500' } };
    const ids = await Promise.all(['failing', 'once', 'recovered', 'resumed'].map(() => subscribe(['a'])));
    const [failing = '', once = '', recovered = '', resumed = ''] = ids;
    await health.add(ids.map((subscriptionId) => ({ ...failure, subscriptionId })));
    // Six days pass.
    await pool.query(
      `UPDATE webhook_subscription_health SET failing_since = failing_since - interval '6 days',
              last_failure_at = last_failure_at - interval '6 days' WHERE subscription_id = ANY ($1)`,
      [ids],
    );
    await pool.query(
      `UPDATE webhook_subscriptions SET status_since = now() - interval '9 days' WHERE id = ANY ($1) AND id <> $2`,
      [ids, resumed],
    );
    await health.add([{ ...empty, subscriptionId: recovered, delivered: 1, lastWasFailure: false }]);
    await health.add([failing, recovered, resumed].map((subscriptionId) => ({ ...failure, subscriptionId })));
    expect(await health.disableFailing(5 * 86_400_000, 10)).toEqual([failing]);
    expect(await health.disableFailing(5 * 86_400_000, 10)).toEqual([]);
    const notice = ['subscription.disabled', 'sluice', 'FAILING', 'webhook.subscription.disabled'];
    expect(await noticesOf(failing)).toEqual([notice]);
    expect(await noticesOf(once)).toEqual([]);
  });
});
