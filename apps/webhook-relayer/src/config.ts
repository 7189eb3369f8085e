import {
  hostPortList,
  postgresUrl,
  redisUrl,
  secondsAsMs,
  serviceVariables,
  text,
  textList,
  wholeNumber,
} from '@sluice/service-kit';
import { z } from 'zod';
import { secretKeyVariables } from './secret-keys.js';

const topicName = { pattern: /^[A-Za-z0-9._-]{1,200}$/, expected: 'letters, digits and . _ -' };

export const environment = z.object({
  ...serviceVariables({ httpPort: 3005, opsPort: 3105 }),
  PG_URL: postgresUrl().describe('Database of the outbox and the webhooks'),
  KAFKA_BROKERS: hostPortList().describe('Brokers to begin with'),
  REDIS_URL: redisUrl()
    .optional()
    .describe(
      'Where instances count together what each subscription gets; without it each keeps to its share',
    ),
  SLUICE_EVENTS_TOPIC: text(topicName)
    .default('events.pending')
    .describe('Topic of events; its dead letters go to the same name with `.dlq`'),
  SLUICE_EVENTS_PARTITIONS: wholeNumber({ min: 1, max: 1_000 })
    .default(6)
    .describe('Partitions that the topic gets if it is missing'),
  SLUICE_CONSUMER_GROUP: text(topicName).default('webhook-relayer').describe('Consumer group of the intake'),
  ...secretKeyVariables,
  SLUICE_ALLOWED_PRIVATE_HOSTS: textList({
    pattern: /^[A-Za-z0-9._:/[\]-]+$/,
    expected: 'host names, addresses or ranges (10.1.0.0/16) with commas between',
  })
    .default([])
    .describe('Private hosts that webhooks may reach all the same, also without TLS'),
  SLUICE_DELIVERY_CONCURRENCY: wholeNumber({ min: 4, max: 2_000 })
    .default(512)
    .describe('Requests in flight in this instance'),
  SLUICE_SUBSCRIPTION_CONCURRENCY: wholeNumber({ min: 1, max: 1_000 })
    .default(16)
    .describe('Requests in flight to one subscription over all instances, unless it sets its own limit'),
  SLUICE_SUBSCRIPTION_RATE: wholeNumber({ min: 1, max: 10_000 })
    .default(100)
    .describe('Requests in a second to one subscription over all instances, unless it sets its own limit'),
  SLUICE_INSTANCES: wholeNumber({ min: 1, max: 1_000 })
    .default(1)
    .describe('How many instances run; they share those limits evenly while Redis is away'),
  SLUICE_CIRCUIT_FAILURES: wholeNumber({ min: 1, max: 1_000 })
    .default(5)
    .describe('Failures in a row after which nothing is sent to an endpoint for a while'),
  SLUICE_CIRCUIT_OPEN_SECONDS: secondsAsMs({ min: 0.1, max: 3_600 })
    .default(30_000)
    .describe('How long that while is; then up to three requests try whether the endpoint is back'),
  SLUICE_DISABLE_AFTER_DAYS: wholeNumber({ min: 1, max: 365 })
    .default(5)
    .describe('Days of nothing but failures after which a subscription is disabled'),
  SLUICE_REQUEST_TIMEOUT_SECONDS: secondsAsMs({ min: 1, max: 120 })
    .default(15_000)
    .describe('One deadline over connection, headers and body of a request'),
  SLUICE_POLL_INTERVAL_SECONDS: secondsAsMs({ min: 0.05, max: 60 })
    .default(250)
    .describe('How often retries that have come due are looked for'),
});

export type Config = z.infer<typeof environment>;
