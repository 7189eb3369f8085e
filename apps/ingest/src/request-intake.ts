import { randomBytes } from 'node:crypto';
import type { Closable, Dependency, Logger, StartCheck, Worker } from '@sluice/service-kit';
import type { AcceptPayments } from './accept-payments.js';
import { connectKafka, kafkaDependency, topicsCheck } from './adapters/kafka-client.js';
import { kafkaDeadLetters } from './adapters/kafka-dead-letters.js';
import { kafkaSource } from './adapters/kafka-source.js';
import type { Config } from './config.js';
import type { Metrics } from './metrics.js';
import { createTakeRequests } from './take-requests.js';

interface Parts {
  readonly config: Config;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly acceptPayments: AcceptPayments;
}

interface RequestIntake {
  readonly workers: readonly Worker[];
  readonly dependencies: readonly Dependency[];
  readonly startChecks: readonly StartCheck[];
  readonly flush: readonly Closable[];
}

/** Payments over Kafka, where its address is given. */
export function connectRequestIntake({ config, log, metrics, acceptPayments }: Parts): RequestIntake {
  if (config.KAFKA_BROKERS === undefined) {
    log.warn('KAFKA_BROKERS is not set: payments come in over HTTP alone');
    return { workers: [], dependencies: [], startChecks: [], flush: [] };
  }
  const topic = config.SLUICE_REQUESTS_TOPIC;
  const deadLetterTopic = `${topic}.dlq`;
  const kafka = connectKafka({ brokers: config.KAFKA_BROKERS, clientId: 'ingest', log });
  const deadLetters = kafkaDeadLetters(kafka, deadLetterTopic);
  const source = kafkaSource({
    kafka,
    topic,
    groupId: config.SLUICE_CONSUMER_GROUP,
    take: createTakeRequests({ acceptPayments, deadLetters, metrics, log, randomBytes }),
    log,
    random: Math.random,
    observe: metrics.consumer,
  });
  return {
    workers: [source],
    dependencies: [kafkaDependency(kafka)],
    startChecks: [
      topicsCheck(kafka, { topic, deadLetterTopic, partitions: config.SLUICE_REQUESTS_PARTITIONS }),
    ],
    flush: [deadLetters],
  };
}
