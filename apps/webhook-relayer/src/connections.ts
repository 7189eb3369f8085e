import { randomBytes, randomUUID } from 'node:crypto';
import type { Closable, Dependency, Logger } from '@sluice/service-kit';
import { connectPg, pgDependency } from '@sluice/service-kit/pg';
import { createAddressCheck } from './adapters/guarded-dns.js';
import { createHttpSender } from './adapters/http-sender.js';
import { connectKafka, kafkaDependency } from './adapters/kafka-client.js';
import { createKafkaSink } from './adapters/kafka-sink.js';
import { createKafkaSource } from './adapters/kafka-source.js';
import { connectRedis, redisClosable, redisDependency } from './adapters/redis-client.js';
import { createRedisGuards } from './adapters/redis-guards.js';
import { createAddressPolicy } from './address-policy.js';
import type { Config } from './config.js';
import type { Guards, GuardSettings } from './guards.js';
import { createGuardsWithFallback } from './guards-with-fallback.js';
import { createLocalGuards } from './local-guards.js';
import type { Metrics } from './metrics.js';
import { createSecretBox } from './secret-box.js';
import { readSecretKeys } from './secret-keys.js';

interface Parts {
  readonly config: Config;
  readonly log: Logger;
  readonly metrics: Metrics;
}

export type Connections = ReturnType<typeof connect>;

/** Everything that reaches outside of the process. */
export function connect(parts: Parts) {
  const { config, log, metrics } = parts;
  const pool = connectPg({ url: config.PG_URL, applicationName: 'webhook-relayer', log });
  const kafka = connectKafka({ brokers: config.KAFKA_BROKERS, clientId: 'webhook-relayer', log });
  const sink = createKafkaSink({ kafka, log });
  const { SLUICE_EVENTS_TOPIC: topic, SLUICE_CONSUMER_GROUP: groupId } = config;
  const source = createKafkaSource({ kafka, topic, groupId, metrics, log, random: Math.random });
  const { guards, maintainGuards, dependencies, close } = connectGuards(parts);
  const policy = createAddressPolicy(config.SLUICE_ALLOWED_PRIVATE_HOSTS);
  const sender = createHttpSender({
    policy,
    timeoutMs: config.SLUICE_REQUEST_TIMEOUT_SECONDS,
    maxSockets: config.SLUICE_DELIVERY_CONCURRENCY,
  });
  return {
    pool,
    kafka,
    sink,
    source,
    guards,
    maintainGuards,
    policy,
    addresses: createAddressCheck(policy),
    sender,
    secrets: createSecretBox(readSecretKeys(config), randomBytes),
    dependencies: [pgDependency(pool), kafkaDependency(kafka), ...dependencies],
    close: [sender, ...close, { name: 'postgres', close: () => pool.end() }],
  };
}

interface ConnectedGuards {
  readonly guards: Guards;
  readonly maintainGuards: () => Promise<void>;
  readonly dependencies: readonly Dependency[];
  readonly close: readonly Closable[];
}

function connectGuards({ config, log, metrics }: Parts): ConnectedGuards {
  const settings = guardSettings(config);
  const newToken = randomUUID;
  const now = (): number => performance.now();
  const local = createLocalGuards({ settings, instances: config.SLUICE_INSTANCES, now, newToken });
  if (config.REDIS_URL === undefined) {
    log.warn('REDIS_URL is not set: this instance keeps to its share of the limits by itself');
    metrics.guardsDegraded.set(1);
    return { guards: local, maintainGuards: () => Promise.resolve(), dependencies: [], close: [] };
  }
  const redis = connectRedis({ url: config.REDIS_URL, log });
  const shared = createRedisGuards({ redis, settings, newToken });
  const onChange = (degraded: boolean): void => metrics.guardsDegraded.set(degraded ? 1 : 0);
  const guards = createGuardsWithFallback({ shared, local, log, onChange });
  return {
    guards,
    maintainGuards: () => guards.maintain(),
    dependencies: [redisDependency(redis)],
    close: [redisClosable(redis)],
  };
}

function guardSettings(config: Config): GuardSettings {
  return {
    failureThreshold: config.SLUICE_CIRCUIT_FAILURES,
    openMs: config.SLUICE_CIRCUIT_OPEN_SECONDS,
    probes: 3,
    rampStepMs: 1_000,
    // A permit is taken before the claim and given back after the answer.
    permitTtlMs: config.SLUICE_REQUEST_TIMEOUT_SECONDS + 30_000,
  };
}
