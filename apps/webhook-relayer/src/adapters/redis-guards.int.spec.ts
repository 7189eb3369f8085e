import { randomUUID } from 'node:crypto';
import { createLogger } from '@sluice/service-kit';
import { describeGuards, shortSettings } from '../testing/describe-guards.js';
import { until } from '../testing/until.js';
import { connectRedis } from './redis-client.js';
import { createRedisGuards } from './redis-guards.js';

const log = createLogger({ service: 'test', level: 'silent' });
const url = process.env.REDIS_URL ?? '';
const keyPrefix = process.env.TEST_NAME ?? 'test';
/** Three instances, each with its own connection. On a busy machine an answer takes its time. */
const clients = [1, 2, 3].map(() => connectRedis({ url, log, commandTimeoutMs: 20_000 }));
const [redis] = clients;
if (redis === undefined) throw new Error('no client');

const guardsOf = (client: typeof redis, settings = {}) =>
  createRedisGuards({
    redis: client,
    settings: { ...shortSettings, ...settings },
    newToken: randomUUID,
    keyPrefix,
  });

beforeAll(() =>
  Promise.all(clients.map((client) => until('Redis answers', () => client.ping().catch(() => undefined)))),
);
afterAll(() => clients.forEach((client) => client.disconnect()));

describeGuards('guards in Redis', (settings) => guardsOf(redis, settings));

const limits = { maxConcurrency: 8, ratePerSecond: 10_000 };

describe('guards of several instances', () => {
  it('guarantee 8: fifty callers of three instances at a half-open circuit make three probes', async () => {
    const instances = clients.map((client) => guardsOf(client));
    const subscriptionId = `sub_${randomUUID()}`;
    const request = { subscriptionId, count: 1, limits: { ...limits, maxConcurrency: 1_000 } };
    for (let count = 0; count < shortSettings.failureThreshold; count += 1) {
      for (const permit of (await instances[0]?.admit(request))?.permits ?? [])
        await instances[0]?.settle(permit, 'failure');
    }
    await until('the circuit may be tried', async () =>
      (await instances[0]?.circuit(subscriptionId))?.retryAfterMs === 0 ? true : undefined,
    );
    const callers = Array.from({ length: 50 }, (_, at) =>
      (instances[at % 3] ?? guardsOf(redis)).admit(request),
    );
    const granted = (await Promise.all(callers)).filter(({ permits }) => permits.length > 0);
    expect(granted).toHaveLength(3);
  });

  it('guarantee 7: limits hold although the clocks of instances differ by half a minute', async () => {
    // Time is the server's alone: the scripts take none from the caller, so a skewed one has nothing to be wrong with.
    const realNow = Date.now;
    const subscriptionId = `sub_${randomUUID()}`;
    const held: number[] = [];
    for (const [at, skewMs] of [0, 30_000, -30_000].entries()) {
      const guards = guardsOf(clients[at] ?? redis);
      Date.now = () => realNow() + skewMs;
      held.push((await guards.admit({ subscriptionId, count: 5, limits })).permits.length);
      Date.now = realNow;
    }
    expect(held).toEqual([5, 3, 0]);
  });

  it('leave nothing behind when all is given back', async () => {
    const guards = guardsOf(redis);
    const subscriptionId = `sub_${randomUUID()}`;
    const { permits } = await guards.admit({ subscriptionId, count: 5, limits });
    for (const permit of permits) await guards.settle(permit, 'success');
    expect(await redis.zcard(`${keyPrefix}:{${subscriptionId}}:permits`)).toBe(0);
    expect(await redis.exists(`${keyPrefix}:{${subscriptionId}}:circuit`)).toBe(0);
    expect(await redis.pttl(`${keyPrefix}:{${subscriptionId}}:rate`)).toBeGreaterThan(0);
  });
});
