import { z } from 'zod';
import {
  hostPort,
  httpUrl,
  oneOf,
  oracleUrl,
  postgresUrl,
  secondsAsMs,
  secretText,
  serviceVariables,
  text,
} from '@sluice/service-kit';

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
  })
  .refine(({ QUEUE_STORE, ORACLE_URL }) => (QUEUE_STORE === 'oracle') === (ORACLE_URL !== undefined), {
    path: ['ORACLE_URL'],
    error: 'goes with QUEUE_STORE=oracle: set both or neither',
  });
export type Config = z.infer<typeof environment>;
