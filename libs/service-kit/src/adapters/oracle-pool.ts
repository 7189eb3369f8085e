import { createRequire } from 'node:module';
import type OracleDB from 'oracledb';
import type { Connection, Pool } from 'oracledb';
import type { Closable, Dependency } from '../service.js';
import { oracleAttributes } from './oracle-driver.js';

export interface OracleOptions {
  readonly url: string;
  /** Default 10. */
  readonly poolSize?: number;
}

export interface OraclePool extends Closable {
  getConnection(): Promise<Connection>;
}

const DRAIN_SECONDS = 3;

/** A pool that waits for nothing without a limit. Like the one of PostgreSQL it connects when it is first used. */
export function connectOracle({ url, poolSize = 10 }: OracleOptions): OraclePool {
  let opened: Promise<Pool> | undefined;
  const open = (): Promise<Pool> => {
    opened ??= createPool(url, poolSize).catch((error: unknown) => {
      // The next caller tries again.
      opened = undefined;
      throw error;
    });
    return opened;
  };
  return {
    name: 'oracle',
    getConnection: async () => (await open()).getConnection(),
    async close() {
      await (await opened)?.close(DRAIN_SECONDS);
    },
  };
}

function createPool(url: string, poolSize: number): Promise<Pool> {
  const driver = createRequire(__filename)('oracledb') as typeof OracleDB;
  return driver.createPool({
    ...oracleAttributes(url),
    poolMin: 0,
    poolMax: poolSize,
    // A minute by default, which is longer than any caller waits.
    queueTimeout: 5_000,
    poolPingInterval: 30,
    poolPingTimeout: 2_000,
    expireTime: 1,
  });
}

export function oracleDependency(pool: OraclePool): Dependency {
  return {
    name: 'oracle',
    async check(signal) {
      signal.throwIfAborted();
      const connection = await pool.getConnection();
      try {
        await connection.ping();
      } finally {
        await connection.close();
      }
    },
  };
}
