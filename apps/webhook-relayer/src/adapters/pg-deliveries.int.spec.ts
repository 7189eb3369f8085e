import { randomUUID } from 'node:crypto';
import { createLogger } from '@sluice/service-kit';
import { connectPg } from '@sluice/service-kit/pg';
import type { Pool } from '@sluice/service-kit/pg';
import type { ClaimedDelivery, ReceivedEvent, Settlement } from '../ports.js';
import { createPgDeliveries } from './pg-deliveries.js';
import { createPgEvents } from './pg-events.js';
import { createPgSubscriptions } from './pg-subscriptions.js';

const log = createLogger({ service: 'test', level: 'silent' });
const delivered: Settlement = {
  outcome: 'delivered',
  status: 'delivered',
  delayMs: 0,
  attemptsBack: 0,
  record: { durationMs: 3, statusCode: 200, responseBody: 'ok' },
};

let pool: Pool;
let tenantId: string;
let offset = 0;

beforeAll(() => {
  pool = connectPg({ url: process.env.PG_URL ?? '', applicationName: 'test', log });
});
afterAll(() => pool.end());
beforeEach(async () => {
  tenantId = randomUUID();
  await pool.query(
    `UPDATE webhook_subscriptions SET status = 'deleted', ended_at = now() WHERE status = 'active'`,
  );
});

const queue = () => createPgDeliveries(pool);
const events = () => createPgEvents(pool, { maxAttempts: 5 });

async function subscribe(eventTypes: string[]): Promise<string> {
  const id = `sub_${randomUUID()}`;
  const sealedSecret = Buffer.from('sealed');
  await createPgSubscriptions(pool).create({
    id,
    tenantId,
    url: 'https://example.com/',
    eventTypes,
    sealedSecret,
  });
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

async function claim(limit: number, changes: { limitPerSubscription?: number; leaseMs?: number } = {}) {
  return queue().claim({ token: randomUUID(), limit, limitPerSubscription: 16, leaseMs: 60_000, ...changes });
}

async function claimOne(leaseMs = 60_000): Promise<ClaimedDelivery> {
  const [one] = await claim(1, { leaseMs });
  if (one === undefined) throw new Error('nothing was due');
  return one;
}

async function stateOf(eventId: string) {
  const found = await events().find(tenantId, eventId);
  return found?.deliveries.map(({ status, attempts, deferrals, lastError }) => ({
    status,
    attempts,
    deferrals,
    lastError,
  }));
}

async function attemptsOf(eventId: string) {
  const attempts = await events().attempts(tenantId, eventId);
  return attempts.map(({ outcome, applied, attemptNo }) => ({ outcome, applied, attemptNo }));
}

describe('storing events', () => {
  it('makes a delivery for each subscription that wants the type, and for no other', async () => {
    const wanting = [
      await subscribe(['payment.accepted']),
      await subscribe(['payment.*', 'payment.accepted']),
      await subscribe(['*']),
    ];
    await subscribe(['payment.failed']);
    await subscribe(['pay.*']);
    const stored = event('payment.accepted');
    await expect(events().store([stored])).resolves.toEqual({ outcomes: ['stored'], deliveries: 3 });
    const found = await events().find(tenantId, stored.id);
    expect(found?.deliveries.map(({ subscriptionId }) => subscriptionId).sort()).toEqual(wanting.sort());
    expect(found?.body).toEqual(stored.body);
  });

  it('stores an event once, also when it comes twice in one batch, and tells a conflict from a repetition', async () => {
    await subscribe(['*']);
    const first = event('a');
    const other = { ...first, body: Buffer.from('other bytes') };
    await expect(events().store([first, first, other])).resolves.toEqual({
      outcomes: ['stored', 'duplicate', 'conflict'],
      deliveries: 1,
    });
    await expect(events().store([other, first, event('b')])).resolves.toEqual({
      outcomes: ['conflict', 'duplicate', 'stored'],
      deliveries: 1,
    });
    expect(await stateOf(first.id)).toHaveLength(1);
  });

  it('makes nothing for a subscription of another tenant', async () => {
    await subscribe(['*']);
    await expect(events().store([event('a', { tenantId: randomUUID() })])).resolves.toMatchObject({
      deliveries: 0,
    });
  });
});

describe('claiming', () => {
  it('gives each subscription its turn, however long the queue of another is', async () => {
    const busy = await subscribe(['busy']);
    await events().store(Array.from({ length: 50 }, () => event('busy')));
    const quiet = await subscribe(['quiet']);
    await events().store([event('quiet'), event('quiet')]);
    const claims = await claim(4);
    const counts = Map.groupBy(claims, ({ subscriptionId }) => subscriptionId);
    expect([counts.get(busy)?.length, counts.get(quiet)?.length]).toEqual([2, 2]);
  });

  it('leaves a subscription no more in flight than it may have, over several claims', async () => {
    await subscribe(['a']);
    await events().store(Array.from({ length: 10 }, () => event('a')));
    expect(await claim(100, { limitPerSubscription: 3 })).toHaveLength(3);
    expect(await claim(100, { limitPerSubscription: 3 })).toHaveLength(0);
    expect(await claim(100, { limitPerSubscription: 5 })).toHaveLength(2);
  });

  it('gives each delivery to one of many claimers', async () => {
    for (let count = 0; count < 5; count += 1) await subscribe(['a']);
    await events().store(Array.from({ length: 40 }, () => event('a')));
    const claimer = async (): Promise<string[]> => {
      const ids: string[] = [];
      for (let round = 0; round < 40; round += 1) {
        ids.push(...(await claim(7, { limitPerSubscription: 1_000 })).map(({ id }) => id));
      }
      return ids;
    };
    const ids = (await Promise.all([claimer(), claimer(), claimer(), claimer()])).flat();
    expect(ids).toHaveLength(200);
    expect(new Set(ids).size).toBe(200);
  });

  it('hands over what is needed to send', async () => {
    const subscriptionId = await subscribe(['a']);
    const stored = event('a');
    await events().store([stored]);
    await expect(claimOne()).resolves.toMatchObject({
      attemptNo: 1,
      maxAttempts: 5,
      eventId: stored.id,
      eventType: 'a',
      subscriptionId,
      url: 'https://example.com/',
      sealedSecret: Buffer.from('sealed'),
      body: stored.body,
    });
  });
});

describe('settling', () => {
  it('puts a retry off by the given delay and counts the attempt', async () => {
    await subscribe(['a']);
    const stored = event('a');
    await events().store([stored]);
    const first = await claimOne();
    const retry = {
      ...delivered,
      outcome: 'retry',
      status: 'pending',
      record: { durationMs: 1, errorCode: 'HTTP_500' },
    } as const;
    await queue().settle(first, { ...retry, delayMs: 3_600_000 });
    expect(await claim(10)).toEqual([]);
    expect(await stateOf(stored.id)).toEqual([
      { status: 'pending', attempts: 1, deferrals: 0, lastError: 'HTTP_500' },
    ]);
  });

  it('writes an outcome once, however often the write is repeated', async () => {
    await subscribe(['a']);
    const stored = event('a');
    await events().store([stored]);
    const claimed = await claimOne();
    await expect(queue().settle(claimed, delivered)).resolves.toBe('recorded');
    await expect(queue().settle(claimed, delivered)).resolves.toBe('recorded');
    expect(await attemptsOf(stored.id)).toEqual([{ outcome: 'delivered', applied: true, attemptNo: 1 }]);
  });

  it('keeps a sender whose lease was taken away from changing anything, but has its attempt on record', async () => {
    await subscribe(['a']);
    const stored = event('a');
    await events().store([stored]);
    const slow = await claimOne(-1);
    expect((await queue().sweep(100)).expired).toBe(1);
    const next = await claimOne();
    await expect(queue().settle(slow, delivered)).resolves.toBe('late');
    expect(await stateOf(stored.id)).toMatchObject([{ status: 'in_flight', attempts: 2 }]);
    await expect(queue().settle(next, delivered)).resolves.toBe('recorded');
    expect(await attemptsOf(stored.id)).toEqual([
      { outcome: 'lease_expired', applied: true, attemptNo: 1 },
      { outcome: 'delivered', applied: false, attemptNo: 1 },
      { outcome: 'delivered', applied: true, attemptNo: 2 },
    ]);
  });

  it('fails a delivery whose every sender died', async () => {
    await subscribe(['a']);
    const stored = event('a');
    await events().store([stored]);
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      await claimOne(-1);
      await queue().sweep(100);
    }
    expect(await stateOf(stored.id)).toEqual([
      { status: 'failed', attempts: 5, deferrals: 0, lastError: 'LEASE_EXPIRED' },
    ]);
    expect(await claim(10)).toEqual([]);
  });

  it('gives the attempt of a deferral back', async () => {
    await subscribe(['a']);
    const stored = event('a');
    await events().store([stored]);
    await queue().defer(await claimOne(), 'CONCURRENCY', 0);
    expect(await stateOf(stored.id)).toEqual([
      { status: 'pending', attempts: 0, deferrals: 1, lastError: 'CONCURRENCY' },
    ]);
    expect((await claimOne()).attemptNo).toBe(1);
  });
});

describe('the end of a subscription', () => {
  it('comes with a 410, and what waits for it is cancelled with a word in the audit trail', async () => {
    const subscriptionId = await subscribe(['a']);
    const other = await subscribe(['a']);
    const [first, second] = [event('a'), event('a')];
    await events().store([first]);
    const gone = (await claim(10)).find((claimed) => claimed.subscriptionId === subscriptionId);
    if (gone === undefined) throw new Error('nothing was due');
    await events().store([second]);
    await queue().settle(gone, { ...delivered, outcome: 'gone', status: 'failed' });
    expect((await queue().sweep(100)).cancelled).toBe(1);
    const list = await createPgSubscriptions(pool).list(tenantId, { after: '', limit: 10 });
    expect(list.map(({ id, status, endedReason }) => [id, status, endedReason]).sort()).toEqual(
      [
        [subscriptionId, 'disabled', 'GONE'],
        [other, 'active', null],
      ].sort(),
    );
    const states = await stateOf(second.id);
    expect(states?.map(({ status }) => status).sort()).toEqual(['cancelled', 'pending']);
    expect(await attemptsOf(second.id)).toEqual([{ outcome: 'cancelled', applied: true, attemptNo: 0 }]);
  });

  it('comes with its deletion, which wipes the secret and hides it from the list', async () => {
    const subscriptionId = await subscribe(['a']);
    const stored = event('a');
    await events().store([stored]);
    const subscriptions = createPgSubscriptions(pool);
    await expect(subscriptions.remove(randomUUID(), subscriptionId)).resolves.toBe(false);
    await expect(subscriptions.remove(tenantId, subscriptionId)).resolves.toBe(true);
    await expect(subscriptions.remove(tenantId, subscriptionId)).resolves.toBe(false);
    await expect(subscriptions.list(tenantId, { after: '', limit: 10 })).resolves.toEqual([]);
    expect(await claim(10)).toEqual([]);
    await queue().sweep(100);
    expect(await stateOf(stored.id)).toMatchObject([
      { status: 'cancelled', lastError: 'SUBSCRIPTION_ENDED' },
    ]);
    const { rows } = await pool.query('SELECT sealed_secret FROM webhook_subscriptions WHERE id = $1', [
      subscriptionId,
    ]);
    expect(rows).toEqual([{ sealed_secret: null }]);
  });
});

describe('the audit trail', () => {
  it.each([
    'UPDATE webhook_delivery_attempts SET applied = false',
    'DELETE FROM webhook_delivery_attempts',
    'TRUNCATE webhook_delivery_attempts',
  ])('refuses %s', (statement) => expect(pool.query(statement)).rejects.toMatchObject({ code: '23001' }));
});
