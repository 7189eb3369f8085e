import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, connect as connectSocket } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { createLogger } from '@sluice/service-kit';
import { connectRedis } from './adapters/redis-client.js';
import { createRedisGuards } from './adapters/redis-guards.js';
import { createGuardsWithFallback } from './guards-with-fallback.js';
import type { Permit } from './guards.js';
import { createLocalGuards } from './local-guards.js';
import { shortSettings } from './testing/describe-guards.js';
import { until } from './testing/until.js';

const log = createLogger({ service: 'test', level: 'silent' });
const redisUrl = new URL(process.env.REDIS_URL ?? '');
const keyPrefix = process.env.TEST_NAME ?? 'test';
const limits = { maxConcurrency: 10, ratePerSecond: 10_000 };
const instances = 2;

/** A way to the real Redis that can be cut and slowed down. */
function createWay() {
  const sockets = new Set<Socket>();
  const kept: (() => void)[] = [];
  let state: 'open' | 'slow' | 'cut' = 'open';
  const server: Server = createServer((client) => {
    if (state === 'cut') return void client.destroy();
    const redis = connectSocket(Number(redisUrl.port), redisUrl.hostname);
    for (const socket of [client, redis]) {
      sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    }
    client.on('data', (bytes) => redis.write(bytes)).on('close', () => redis.destroy());
    // A slow one takes the question at once and keeps the answer until it is well again.
    redis
      .on('data', (bytes) => (state === 'slow' ? kept.push(() => client.write(bytes)) : client.write(bytes)))
      .on('close', () => client.destroy());
  });
  return {
    async open() {
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
    },
    url: () => `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    set(next: typeof state) {
      state = next;
      if (next === 'open') for (const answer of kept.splice(0)) answer();
      if (next === 'cut') for (const socket of sockets) socket.destroy();
    },
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

const way = createWay();
const direct = connectRedis({ url: redisUrl.href, log, commandTimeoutMs: 20_000 });
function createPod() {
  const redis = connectRedis({ url: way.url(), log, commandTimeoutMs: 1_000 });
  const newToken = randomUUID;
  const changes: boolean[] = [];
  const guards = createGuardsWithFallback({
    shared: createRedisGuards({ redis, settings: shortSettings, newToken, keyPrefix }),
    local: createLocalGuards({ settings: shortSettings, instances, now: () => performance.now(), newToken }),
    log,
    onChange: (degraded) => changes.push(degraded),
  });
  return { redis, guards, changes };
}
let pods: ReturnType<typeof createPod>[] = [];

beforeAll(async () => {
  await way.open();
  pods = Array.from({ length: instances }, createPod);
  for (const redis of [direct, ...pods.map((pod) => pod.redis)]) {
    await until('Redis answers', () => redis.ping().catch(() => undefined));
  }
});
afterAll(() => {
  for (const { redis } of pods) redis.disconnect();
  direct.disconnect();
  way.close();
});

const held = (subscriptionId: string) => direct.zcard(`${keyPrefix}:{${subscriptionId}}:permits`);
const admitAll = async (subscriptionId: string): Promise<Permit[]> => {
  const admissions = await Promise.all(
    pods.map(({ guards }) => guards.admit({ subscriptionId, count: 100, limits })),
  );
  return admissions.flatMap(({ permits }) => permits);
};
const giveBack = async (permits: readonly Permit[]) => {
  for (const permit of permits) await Promise.all(pods.map(({ guards }) => guards.settle(permit, 'success')));
};
const recovered = () =>
  until('all are back with Redis', async () => {
    await Promise.all(pods.map(({ guards }) => guards.maintain()));
    return pods.every(({ changes }) => changes.at(-1) !== true) ? true : undefined;
  });

describe('guarantee 6: guards whose Redis goes away and comes back', () => {
  it.each(['cut', 'slow'] as const)(
    'keep to the bound while it is %s, hang on nothing, and leak nothing',
    async (fault) => {
      const subscriptionId = `sub_${randomUUID()}`;
      const before = await admitAll(subscriptionId);
      expect(before).toHaveLength(limits.maxConcurrency);

      way.set(fault);
      // What was let out by Redis keeps its places: an instance at or above its share lets nothing more out.
      const during = await admitAll(subscriptionId);
      expect(before.length + during.length).toBeLessThanOrEqual(2 * limits.maxConcurrency);
      await giveBack([...before, ...during]);
      // With nothing in flight, the instances share the limit.
      const alone = await admitAll(subscriptionId);
      expect(alone).toHaveLength(limits.maxConcurrency);
      expect(pods.map(({ changes }) => changes.at(-1))).toEqual([true, true]);

      way.set('open');
      await recovered();
      // Redis knows what was let out in the meantime.
      expect(await admitAll(subscriptionId)).toEqual([]);
      await giveBack(alone);
      await until('no permit is left', async () => ((await held(subscriptionId)) === 0 ? true : undefined));
      const after = await admitAll(subscriptionId);
      expect(after).toHaveLength(limits.maxConcurrency);
      await giveBack(after);
      await until('all is at rest', async () => ((await held(subscriptionId)) === 0 ? true : undefined));
    },
  );
});
