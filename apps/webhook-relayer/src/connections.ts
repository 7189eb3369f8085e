import { randomBytes, randomUUID } from 'node:crypto';
import type { Closable, Dependency, Logger } from '@sluice/service-kit';
import { connectPg, pgDependency } from '@sluice/service-kit/pg';
import { createAddressCheck } from './adapters/guarded-dns.js';
import { createHttpSender } from './adapters/http-sender.js';
import { connectKafka, kafkaDependency } from './adapters/kafka-client.js';
import { createKafkaSink } from './adapters/kafka-sink.js';
import { createKafkaSource } from './adapters/kafka-source.js';
import {
  connectRedis,
  createRedisSemaphore,
  redisClosable,
  redisDependency,
} from './adapters/redis-semaphore.js';
import { createAddressPolicy } from './address-policy.js';
import { createLocalLimit, shareOf, withLocalFallback } from './concurrency-limit.js';
import type { Config } from './config.js';
import type { Metrics } from './metrics.js';
import type { ConcurrencyLimit } from './ports.js';
import { createSecretBox } from './secret-box.js';

interface Parts {
  readonly config: Config;
  readonly log: Logger;
  readonly metrics: Metrics;
}

export type Connections = ReturnType<typeof connect>;

/** Everything that reaches outside of the process. */
export function connect(parts: Parts) {
  const { config, log } = parts;
  const pool = connectPg({ url: config.PG_URL, applicationName: 'webhook-relayer', log });
  const kafka = connectKafka({ brokers: config.KAFKA_BROKERS, clientId: 'webhook-relayer', log });
  const sink = createKafkaSink({ kafka, log });
  const { SLUICE_EVENTS_TOPIC: topic, SLUICE_CONSUMER_GROUP: groupId } = config;
  const source = createKafkaSource({ kafka, topic, groupId, log, random: Math.random });
  const { limit, dependencies, close } = connectLimit(parts);
  const policy = createAddressPolicy(config.SLUICE_ALLOWED_PRIVATE_HOSTS);
  const sender = createHttpSender({
    policy,
    timeoutMs: config.SLUICE_REQUEST_TIMEOUT_SECONDS,
    connectionsPerOrigin: config.SLUICE_SUBSCRIPTION_CONCURRENCY,
  });
  return {
    pool,
    kafka,
    sink,
    source,
    limit,
    policy,
    addresses: createAddressCheck(policy),
    sender,
    secrets: createSecretBox(Buffer.from(config.SLUICE_SECRETS_KEY, 'base64'), randomBytes),
    dependencies: [pgDependency(pool), kafkaDependency(kafka), ...dependencies],
    close: [sender, ...close, { name: 'postgres', close: () => pool.end() }],
  };
}

interface Limit {
  readonly limit: ConcurrencyLimit;
  readonly dependencies: readonly Dependency[];
  readonly close: readonly Closable[];
}

function connectLimit({ config, log, metrics }: Parts): Limit {
  const perSubscription = config.SLUICE_SUBSCRIPTION_CONCURRENCY;
  const local = createLocalLimit(shareOf(perSubscription, config.SLUICE_INSTANCES));
  if (config.REDIS_URL === undefined) {
    log.warn('REDIS_URL is not set: concurrency is limited by this instance alone');
    metrics.limitDegraded.set(1);
    return { limit: local, dependencies: [], close: [] };
  }
  const redis = connectRedis({ url: config.REDIS_URL, log });
  const shared = createRedisSemaphore({
    redis,
    limit: perSubscription,
    ttlMs: config.SLUICE_REQUEST_TIMEOUT_SECONDS + 5_000,
    newToken: randomUUID,
  });
  const onChange = (degraded: boolean): void => metrics.limitDegraded.set(degraded ? 1 : 0);
  return {
    limit: withLocalFallback({ shared, local, log, onChange }),
    dependencies: [redisDependency(redis)],
    close: [redisClosable(redis)],
  };
}
