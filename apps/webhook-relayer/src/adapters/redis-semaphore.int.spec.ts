import { randomUUID } from 'node:crypto';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { createLogger } from '@sluice/service-kit';
import type { Redis } from 'ioredis';
import { createLocalLimit, withLocalFallback } from '../concurrency-limit.js';
import { connectRedis, createRedisSemaphore } from './redis-semaphore.js';

const log = createLogger({ service: 'test', level: 'silent' });
const keyPrefix = `sluice:${process.env.TEST_NAME ?? 'test'}`;

async function connected(): Promise<Redis> {
  const redis = connectRedis({ url: process.env.REDIS_URL ?? '', log });
  if (redis.status !== 'ready') await new Promise((resolve) => redis.once('ready', resolve));
  return redis;
}

const semaphore = (redis: Redis, limit: number, ttlMs = 60_000) =>
  createRedisSemaphore({ redis, limit, ttlMs, newToken: randomUUID, keyPrefix });

describe('createRedisSemaphore', () => {
  let redis: Redis;
  let other: Redis;

  beforeAll(async () => {
    [redis, other] = await Promise.all([connected(), connected()]);
  });
  afterAll(() => {
    redis.disconnect();
    other.disconnect();
  });

  it('grants no more than the limit to instances that ask at once, and nothing is left after the release', async () => {
    const id = randomUUID();
    const asked = await Promise.all(
      Array.from({ length: 40 }, (_, at) => semaphore(at % 2 === 0 ? redis : other, 7).acquire(id)),
    );
    const granted = asked.filter((permit) => permit !== undefined);
    expect(granted).toHaveLength(7);
    await Promise.all(granted.map((permit) => permit.release()));
    await expect(redis.zcard(`${keyPrefix}:{${id}}:slots`)).resolves.toBe(0);
    expect(await semaphore(redis, 7).acquire(id)).toBeDefined();
  });

  it('takes back by itself what a dead instance held', async () => {
    const id = randomUUID();
    expect(await semaphore(redis, 1, 100).acquire(id)).toBeDefined();
    const mine = semaphore(other, 1);
    const deadline = Date.now() + 5_000;
    let permit = await mine.acquire(id);
    while (permit === undefined && Date.now() < deadline) permit = await mine.acquire(id);
    expect(permit).toBeDefined();
  });

  it('releases only its own token', async () => {
    const id = randomUUID();
    const first = await semaphore(redis, 2).acquire(id);
    await semaphore(redis, 2).acquire(id);
    await first?.release();
    await first?.release();
    await expect(redis.zcard(`${keyPrefix}:{${id}}:slots`)).resolves.toBe(1);
  });
});

describe('without Redis', () => {
  it('falls back to the local limit at once, whether Redis refuses or stays silent', async () => {
    const silent = createServer(() => undefined).listen(0, '127.0.0.1');
    await new Promise((resolve) => silent.once('listening', resolve));
    const { port } = silent.address() as AddressInfo;
    for (const url of [`redis://127.0.0.1:${port}`, 'redis://127.0.0.1:1']) {
      const redis = connectRedis({ url, log });
      const changes: boolean[] = [];
      const onChange = (degraded: boolean): number => changes.push(degraded);
      const limit = withLocalFallback({
        shared: semaphore(redis, 5),
        local: createLocalLimit(1),
        log,
        onChange,
      });
      const started = Date.now();
      expect(await limit.acquire('a')).toBeDefined();
      await expect(limit.acquire('a')).resolves.toBeUndefined();
      expect(Date.now() - started).toBeLessThan(2_000);
      expect(changes).toEqual([true]);
      redis.disconnect();
    }
    silent.close();
  });
});
