import { z } from 'zod';
import {
  flag,
  oneOf,
  oracleUrl,
  postgresUrl,
  secondsAsMs,
  serviceVariables,
  text,
  wholeNumber,
} from '@sluice/service-kit';

/** The environment of slot-assigner. */
export const environment = z
  .object({
    ...serviceVariables({ httpPort: 3004, opsPort: 3104 }),
    QUEUE_STORE: oneOf(['postgres', 'oracle'])
      .default('postgres')
      .describe('Where rate limits and slots are kept'),
    PG_URL: postgresUrl()
      .optional()
      .describe('Database of rate limits and slots with `QUEUE_STORE=postgres`'),
    ORACLE_URL: oracleUrl()
      .optional()
      .describe('Database of rate limits and slots with `QUEUE_STORE=oracle`'),
    SLUICE_DEFAULT_CONFIG: text({
      pattern: /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
      expected: '1 to 64 letters, digits, dots, dashes or underscores',
    })
      .default('default')
      .describe('Rate limit of requests that name none'),
    SLUICE_QUEUE_LIMIT: wholeNumber({ min: 1_000, max: 1_000_000 })
      .default(20_000)
      .describe('Events that may wait for a round trip to the database; past it requests get a 503'),
    SLUICE_CALLER_QUEUE_LIMIT: wholeNumber({ min: 1_000, max: 1_000_000 })
      .default(10_000)
      .describe('Events of one caller that may wait; past it that caller gets a 429'),
    SLUICE_QUEUE_WAIT_SECONDS: secondsAsMs({ min: 0.1, max: 25 })
      .default(5_000)
      .describe('How long an event may wait for its round trip; past it the request gets a 503'),
    SLUICE_CONFIG_CACHE_SECONDS: secondsAsMs({ min: 0, max: 60 })
      .default(5_000)
      .describe('How long a rate limit is remembered by a node that missed the notice of its change'),
    SLUICE_RETENTION: flag().default(true).describe('Whether this instance removes slots of past windows'),
    SLUICE_RETENTION_HOURS: wholeNumber({ min: 1, max: 8_760 })
      .default(168)
      .describe(
        'Time after its window at which a slot is removed; keep it longer than a caller may repeat an event',
      ),
    SLUICE_RETENTION_BATCH_SIZE: wholeNumber({ min: 100, max: 10_000 })
      .default(1_000)
      .describe('Most slots removed by one statement'),
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

/** The database that slots are in; the schema has seen to it that its address is there. */
export function storeAddress(config: StoreVariables): StoreAddress {
  return { store: config.QUEUE_STORE, url: storeUrl(config) ?? '' };
}

function storeUrl({ QUEUE_STORE, PG_URL, ORACLE_URL }: StoreVariables): string | undefined {
  return QUEUE_STORE === 'oracle' ? ORACLE_URL : PG_URL;
}
