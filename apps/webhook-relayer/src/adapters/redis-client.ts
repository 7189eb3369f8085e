import type { Closable, Dependency, Logger } from '@sluice/service-kit';
import { Redis } from 'ioredis';

/** A command that is not answered soon fails, and nothing queues up while Redis is away: the caller has a fallback. */
export function connectRedis(options: { url: string; log: Logger; commandTimeoutMs?: number }): Redis {
  const redis = new Redis(options.url, {
    connectionName: 'webhook-relayer',
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    // Commands of one turn of the loop leave together.
    enableAutoPipelining: true,
    maxRetriesPerRequest: 0,
    commandTimeout: options.commandTimeoutMs ?? 250,
    connectTimeout: 2_000,
    retryStrategy: (times) => Math.min(2_000, 100 * times),
  });
  // What is degraded is told where the fallback is taken; here it would be told at every reconnect.
  redis.on('error', (err) => options.log.debug({ err }, 'Redis connection error'));
  return redis;
}

export function redisDependency(redis: Redis): Dependency {
  return {
    name: 'redis',
    // Without it each instance keeps to its share of the limits, so deliveries and the API go on.
    optional: true,
    async check() {
      await redis.ping();
    },
  };
}

export function redisClosable(redis: Redis): Closable {
  return {
    name: 'redis',
    close() {
      redis.disconnect();
      return Promise.resolve();
    },
  };
}
