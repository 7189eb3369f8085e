import { createLogger } from '@sluice/service-kit';
import { connectPg } from '@sluice/service-kit/pg';
import type { Pool } from '@sluice/service-kit/pg';

/** Connections of the test's own, to prepare and to see what was done. */
export function connectTestPool(pgUrl = ''): Pool {
  const log = createLogger({ service: 'test', level: 'fatal' });
  return connectPg({ url: pgUrl, applicationName: 'test', log });
}
