/**
 * Oracle, for services whose queue lives there: a pool with limits, the readiness check and the schema check. The package
 * `oracledb` is an optional peer. Not yet run on Oracle.
 *
 *   const pool = connectOracle({ url: config.ORACLE_URL });
 *   startChecks: [oracleSchemaCheck(config.ORACLE_URL, sets)], dependencies: [oracleDependency(pool)], close: [pool]
 */
export { connectOracle, oracleDependency } from './adapters/oracle-pool.js';
export type { OracleOptions, OraclePool } from './adapters/oracle-pool.js';
export { oracleSchemaCheck } from './migrate/schema-check.js';
