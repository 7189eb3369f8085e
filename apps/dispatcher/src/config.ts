import { z } from 'zod';
import { hostPort, postgresUrl, secondsAsMs, serviceVariables, text, wholeNumber } from '@sluice/service-kit';

export const environment = z.object({
  ...serviceVariables({ httpPort: 3002, opsPort: 3102 }),
  PG_URL: postgresUrl().describe('Database of the dispatch queue'),
  TEMPORAL_ADDRESS: hostPort().describe('Temporal frontend'),
  TEMPORAL_NAMESPACE: text()
    .default('default')
    .describe('Namespace of the dispatcher and of the exec workflows'),
  SLUICE_TASK_QUEUE: text().default('dispatch-task-queue').describe('Task queue of `DispatcherWorkflow`'),
  SLUICE_SCHEDULE_PREFIX: text()
    .default('dispatch-')
    .describe('The Schedule of an item type is named by this and the item type in small letters'),
  SLUICE_START_CONCURRENCY: wholeNumber({ min: 1, max: 500 })
    .default(50)
    .describe('Exec workflows being started at the same time'),
  SLUICE_SUB_BATCH_SIZE: wholeNumber({ min: 1, max: 500 })
    .default(50)
    .describe('Most items claimed at once; the kill switch is read between two claims'),
  SLUICE_START_TIMEOUT_SECONDS: secondsAsMs({ min: 1, max: 20 })
    .default(10_000)
    .describe('Longest wait for Temporal to accept one start'),
});
