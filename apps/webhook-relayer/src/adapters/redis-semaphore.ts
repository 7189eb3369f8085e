import type { Closable, Dependency, Logger } from '@sluice/service-kit';
import { Redis } from 'ioredis';
import type { ConcurrencyLimit } from '../ports.js';

/** A command that is not answered soon fails, and nothing queues up while Redis is away: the caller has a fallback. */
export function connectRedis(options: { url: string; log: Logger }): Redis {
  const redis = new Redis(options.url, {
    connectionName: 'webhook-relayer',
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    commandTimeout: 250,
    connectTimeout: 2_000,
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

/**
 * Tokens in a sorted set with the time at which each expires, by the server's clock: instances with other clocks agree, and
 * what a dead instance held comes back by itself. KEYS: set. ARGV: token, limit, time to live in ms. Out: 1 if granted.
 */
const ACQUIRE = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[2]) then return 0 end
redis.call('ZADD', KEYS[1], now + tonumber(ARGV[3]), ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return 1`;

export interface RedisSemaphoreOptions {
  readonly redis: Redis;
  /** Requests in flight to one subscription, over all instances. */
  readonly limit: number;
  /** Longer than the longest request. */
  readonly ttlMs: number;
  readonly newToken: () => string;
  /** Keeps installations apart that share one Redis. */
  readonly keyPrefix?: string;
}

/** Throws when Redis does not answer. */
export function createRedisSemaphore(options: RedisSemaphoreOptions): ConcurrencyLimit {
  const { redis, limit, ttlMs, newToken, keyPrefix = 'sluice:webhooks' } = options;
  return {
    async acquire(subscriptionId) {
      // The braces keep all keys of one subscription on one node of a cluster.
      const key = `${keyPrefix}:{${subscriptionId}}:slots`;
      const token = newToken();
      const release = async (): Promise<void> => {
        await redis.zrem(key, token);
      };
      try {
        const granted = await redis.eval(ACQUIRE, 1, key, token, limit, ttlMs);
        return granted === 1 ? { release } : undefined;
      } catch (error) {
        // The answer may be lost and the token taken; if this is lost too, the token expires.
        release().catch(() => undefined);
        throw error;
      }
    },
  };
}
