import { createOracleQueue, queueMigrations, type DispatchQueue } from '@sluice/queue-core';
import type { Closable, Dependency, StartCheck } from '@sluice/service-kit';
import { pgSchemaCheck } from '@sluice/service-kit/migrations';
import { connectOracle, oracleDependency, oracleSchemaCheck } from '@sluice/service-kit/oracle';
import type { Pool } from '@sluice/service-kit/pg';

export interface QueueStore {
  /** Undefined: the queue is beside the payments, and joins their transactions. */
  readonly otherQueue: DispatchQueue | undefined;
  readonly dependencies: readonly Dependency[];
  readonly startChecks: readonly StartCheck[];
  readonly close: readonly Closable[];
}

/** The dispatch queue: in Oracle where its address is given, else beside the payments, in their pool. */
export function connectQueueStore(oracleUrl: string | undefined, payments: Pool): QueueStore {
  if (oracleUrl === undefined) {
    return {
      otherQueue: undefined,
      dependencies: [],
      startChecks: [pgSchemaCheck(payments, [queueMigrations])],
      close: [],
    };
  }
  const pool = connectOracle({ url: oracleUrl });
  return {
    otherQueue: createOracleQueue(pool),
    dependencies: [oracleDependency(pool)],
    startChecks: [oracleSchemaCheck(oracleUrl, [queueMigrations])],
    close: [pool],
  };
}
