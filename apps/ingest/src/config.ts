import { z } from 'zod';
import { isTimeZone } from '@sluice/payments';
import {
  hostPort,
  hostPortList,
  httpUrl,
  malformed,
  oneOf,
  oracleUrl,
  postgresUrl,
  secondsAsMs,
  secretText,
  serviceVariables,
  text,
  textList,
  variable,
  wholeNumber,
} from '@sluice/service-kit';
import { railCalendars } from './rail-calendars.js';

const topicName = { pattern: /^[A-Za-z0-9._-]{1,100}$/, expected: '1 to 100 letters, digits and . _ -' };
const country = { pattern: /^[A-Z]{2}$/, expected: 'country codes of two capitals with commas between' };
const timeZone = variable({ expected: 'a time zone such as America/New_York' }, (raw) =>
  isTimeZone(raw) ? { value: raw } : malformed,
);

/** How payments come in besides HTTP, and how long what came in is remembered. */
const intake = {
  KAFKA_BROKERS: hostPortList()
    .optional()
    .describe('Kafka of payment requests; without it only HTTP takes payments in'),
  SLUICE_REQUESTS_TOPIC: text(topicName)
    .default('payments.requested')
    .describe('Topic of payment requests; what can be none goes to the same name with `.dlq`'),
  SLUICE_REQUESTS_PARTITIONS: wholeNumber({ min: 1, max: 1000 })
    .default(12)
    .describe('Partitions of the topic, if it has to be made'),
  SLUICE_CONSUMER_GROUP: text().default('sluice-ingest').describe('Consumer group of payment requests'),
  SLUICE_UPLOAD_PATIENCE_SECONDS: secondsAsMs({ min: 0, max: 600 })
    .default(20_000)
    .describe(
      'How long an upload waits for Temporal or the database before it stops with a line that says where',
    ),
  SLUICE_KEEP_RECEIPTS_DAYS: wholeNumber({ min: 1, max: 3650 })
    .default(30)
    .describe('How long receipts and `Idempotency-Key`s are kept; ids of payments are kept for ever'),
};

/** What the rules go by. */
const rules = {
  SLUICE_RAIL_CALENDARS: railCalendars()
    .default({})
    .describe(
      'Opening times of rails as JSON, see docs/producing.md; a rail without a calendar is always open',
    ),
  SLUICE_BLOCKED_COUNTRIES: textList(country)
    .default([])
    .describe('Countries to whose banks nothing is sent'),
  SLUICE_LIMIT_TIME_ZONE: timeZone.default('UTC').describe('Whose midnight ends the day of a daily limit'),
  SLUICE_DUPLICATES: oneOf(['off', 'flag', 'refuse'])
    .default('flag')
    .describe('What becomes of a payment that looks like one before it'),
  SLUICE_DUPLICATE_SPAN_SECONDS: secondsAsMs({ min: 1, max: 86_400 })
    .default(600_000)
    .describe('Within which span two payments look like duplicates'),
  SLUICE_RULES_MODULE: text()
    .optional()
    .describe("File of a company's own rules, a CommonJS module with an array `rules`"),
};

/** Who else knows of a payment; the timeline names those that are not set. */
const timeline = {
  SLUICE_DISPATCHER_URL: httpUrl().optional().describe('Address of dispatcher, for timelines'),
  SLUICE_DISPATCHER_KEY: secretText().optional().describe('API key for dispatcher, scope `dispatch:read`'),
  SLUICE_EXEC_WORKER_URL: httpUrl().optional().describe('Address of exec-worker, for timelines'),
  SLUICE_EXEC_WORKER_KEY: secretText().optional().describe('API key for exec-worker, scope `outbox:read`'),
  SLUICE_WEBHOOK_RELAYER_URL: httpUrl().optional().describe('Address of webhook-relayer, for timelines'),
  SLUICE_WEBHOOK_RELAYER_KEY: secretText()
    .optional()
    .describe('API key for webhook-relayer, scope `events:read`'),
};

/** The environment of ingest. */
export const environment = z
  .object({
    ...serviceVariables({ httpPort: 3001, opsPort: 3101 }),
    PG_URL: postgresUrl().describe(
      'Database of payments, and of the dispatch queue unless that is in Oracle',
    ),
    QUEUE_STORE: oneOf(['postgres', 'oracle'])
      .default('postgres')
      .describe('Where the dispatch queue is kept'),
    ORACLE_URL: oracleUrl().optional().describe('Database of the dispatch queue with `QUEUE_STORE=oracle`'),
    TEMPORAL_ADDRESS: hostPort().describe('Temporal frontend'),
    TEMPORAL_NAMESPACE: text().default('default').describe('Temporal namespace'),
    SLUICE_TASK_QUEUE: text()
      .default('payment-init-task-queue')
      .describe('Task queue of PaymentInitWorkflow'),
    SLUICE_START_TIMEOUT_SECONDS: secondsAsMs({ min: 0.1, max: 25 })
      .default(5000)
      .describe('Longest wait for Temporal while a request is answered; past it the producer gets a 503'),
    SLUICE_SLOT_ASSIGNER_URL: httpUrl().describe('Address of slot-assigner'),
    SLUICE_SLOT_ASSIGNER_KEY: secretText()
      .optional()
      .describe('API key for slot-assigner, scope `slots:write`'),
    SLUICE_SLOT_CONFIG: text().default('payments').describe('Rate limit that payments take their slots from'),
    SLUICE_SLOT_TIMEOUT_SECONDS: secondsAsMs({ min: 0.1, max: 60 })
      .default(10_000)
      .describe("Longest wait for slot-assigner's whole answer; Temporal then tries again"),
    ...intake,
    ...rules,
    ...timeline,
  })
  .refine(({ QUEUE_STORE, ORACLE_URL }) => (QUEUE_STORE === 'oracle') === (ORACLE_URL !== undefined), {
    path: ['ORACLE_URL'],
    error: 'goes with QUEUE_STORE=oracle: set both or neither',
  });
export type Config = z.infer<typeof environment>;
