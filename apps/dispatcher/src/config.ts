import { z } from 'zod';
import {
  flag,
  hostPort,
  oneOf,
  oracleUrl,
  postgresUrl,
  secondsAsMs,
  serviceVariables,
  text,
  wholeNumber,
} from '@sluice/service-kit';

export const environment = z
  .object({
    ...serviceVariables({ httpPort: 3002, opsPort: 3102 }),
    QUEUE_STORE: oneOf(['postgres', 'oracle'])
      .default('postgres')
      .describe('Where the dispatch queue is kept'),
    PG_URL: postgresUrl().optional().describe('Database of the dispatch queue with `QUEUE_STORE=postgres`'),
    ORACLE_URL: oracleUrl().optional().describe('Database of the dispatch queue with `QUEUE_STORE=oracle`'),
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
    SLUICE_RETENTION: flag()
      .default(true)
      .describe('Whether this instance removes finished items and old audit rows'),
    SLUICE_RETENTION_FINISHED_HOURS: wholeNumber({ min: 1, max: 8_760 })
      .default(168)
      .describe(
        'Age at which a DISPATCHED or CANCELLED item is removed with its context; keep it longer than a producer may repeat an item',
      ),
    SLUICE_RETENTION_AUDIT_DAYS: wholeNumber({ min: 1, max: 3_650 })
      .default(90)
      .describe('Age at which an audit row is removed'),
    SLUICE_RETENTION_BATCH_SIZE: wholeNumber({ min: 100, max: 10_000 })
      .default(1_000)
      .describe('Most rows removed by one statement'),
  })
  .refine((config) => storeUrl(config) !== undefined, {
    path: ['QUEUE_STORE'],
    error: 'needs the address of its database: PG_URL for postgres, ORACLE_URL for oracle',
  });

export interface StoreAddress {
  readonly store: 'postgres' | 'oracle';
  readonly url: string;
}

interface StoreVariables {
  readonly QUEUE_STORE: 'postgres' | 'oracle';
  readonly PG_URL?: string | undefined;
  readonly ORACLE_URL?: string | undefined;
}

/** The database that the queue is in; the schema has seen to it that its address is there. */
export function storeAddress(config: StoreVariables): StoreAddress {
  return { store: config.QUEUE_STORE, url: storeUrl(config) ?? '' };
}

function storeUrl({ QUEUE_STORE, PG_URL, ORACLE_URL }: StoreVariables): string | undefined {
  return QUEUE_STORE === 'oracle' ? ORACLE_URL : PG_URL;
}
