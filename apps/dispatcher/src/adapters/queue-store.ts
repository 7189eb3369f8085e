import { createOracleQueue, createPgQueue, queueMigrations, type DispatchQueue } from '@sluice/queue-core';
import type { Closable, Dependency, Logger, StartCheck } from '@sluice/service-kit';
import { pgSchemaCheck } from '@sluice/service-kit/migrations';
import { connectOracle, oracleDependency, oracleSchemaCheck } from '@sluice/service-kit/oracle';
import { connectPg, pgDependency } from '@sluice/service-kit/pg';
import type { StoreAddress } from '../config.js';

interface QueueStore {
  readonly queue: DispatchQueue;
  readonly dependency: Dependency;
  readonly startCheck: StartCheck;
  readonly close: Closable;
}

/** The dispatch queue, in the database that QUEUE_STORE names. */
export function connectQueueStore({ store, url }: StoreAddress, log: Logger): QueueStore {
  if (store === 'oracle') {
    const pool = connectOracle({ url });
    return {
      queue: createOracleQueue(pool),
      dependency: oracleDependency(pool),
      startCheck: oracleSchemaCheck(url, [queueMigrations]),
      close: pool,
    };
  }
  const pool = connectPg({ url, applicationName: 'dispatcher', log });
  return {
    queue: createPgQueue(pool),
    dependency: pgDependency(pool),
    startCheck: pgSchemaCheck(pool, [queueMigrations]),
    close: { name: 'postgres', close: () => pool.end() },
  };
}
