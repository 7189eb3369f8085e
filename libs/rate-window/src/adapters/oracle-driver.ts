import { createRequire } from 'node:module';
import type OracleDB from 'oracledb';
import type { Connection } from 'oracledb';

export type OracleDriver = typeof OracleDB;

/** A pool of `oracledb` in thin mode. */
export interface OraclePool {
  getConnection(): Promise<Connection>;
}

/** The driver is an optional peer, so it is loaded when a store is made and not when this library is imported. */
export function loadOracleDriver(): OracleDriver {
  return createRequire(__filename)('oracledb') as OracleDriver;
}
