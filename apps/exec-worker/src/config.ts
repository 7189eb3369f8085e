import { z } from 'zod';
import {
  hostPort,
  httpUrl,
  postgresUrl,
  secondsAsMs,
  serviceVariables,
  text,
  wholeNumber,
} from '@sluice/service-kit';

export const environment = z.object({
  ...serviceVariables({ httpPort: 3003, opsPort: 3103 }),
  PG_URL: postgresUrl().describe('Database of payments and outbox; a direct connection, for LISTEN'),
  TEMPORAL_ADDRESS: hostPort().describe('Temporal frontend'),
  TEMPORAL_NAMESPACE: text().default('default').describe('Namespace of the exec workflows'),
  SLUICE_TASK_QUEUE: text()
    .default('payment-exec-task-queue')
    .describe('Task queue of `PaymentExecWorkflow`'),
  SLUICE_RAIL_URL: httpUrl().describe('Rail gateway'),
  SLUICE_RAIL_TIMEOUT_SECONDS: secondsAsMs({ min: 0.1, max: 120 })
    .default(10_000)
    .describe('Longest wait for the whole answer of the rail gateway'),
  SLUICE_RAIL_MAX_ATTEMPTS: wholeNumber({ min: 1, max: 100_000 })
    .default(200)
    .describe('After so many attempts a failing instruction becomes a dead letter, an unclear one IN_DOUBT'),
  SLUICE_RELAY_CONCURRENCY: wholeNumber({ min: 1, max: 1000 })
    .default(32)
    .describe('Instructions on their way to the rails at the same time'),
  SLUICE_RELAY_POLL_SECONDS: secondsAsMs({ min: 0.05, max: 60 })
    .default(500)
    .describe('Longest time until the relay looks for work by itself'),
  SLUICE_LEASE_SECONDS: wholeNumber({ min: 3, max: 600 })
    .default(30)
    .describe('How long a claimed instruction is safe from other relays without a renewal'),
  SLUICE_REAP_SECONDS: secondsAsMs({ min: 0.1, max: 600 })
    .default(5000)
    .describe('Time between two searches for leases that ran out'),
});
