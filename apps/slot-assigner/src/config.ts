import { z } from 'zod';
import { postgresUrl, secondsAsMs, serviceVariables, wholeNumber } from '@sluice/service-kit';

/** The environment of slot-assigner. */
export const environment = z.object({
  ...serviceVariables({ httpPort: 3004, opsPort: 3104 }),
  PG_URL: postgresUrl().describe('Database of rate limits and slots'),
  SLUICE_QUEUE_LIMIT: wholeNumber({ min: 1_000, max: 1_000_000 })
    .default(20_000)
    .describe('Events that may wait for a round trip to the database; past it requests get a 503'),
  SLUICE_CONFIG_CACHE_SECONDS: secondsAsMs({ min: 0, max: 60 })
    .default(5_000)
    .describe(
      'How long a rate limit is remembered; a change that was missed is noticed at the next assignment',
    ),
});
