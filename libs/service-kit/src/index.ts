/**
 * What every service needs around its work: configuration, logs, metrics, health, and an orderly start and stop.
 *
 *   void runService({
 *     name: 'demo',
 *     environment: z.object({ ...serviceVariables({ httpPort: 3001, opsPort: 3101 }), PG_URL: postgresUrl() }),
 *     compose({ config, log, registry }) {
 *       const pool = connectPg({ url: config.PG_URL, applicationName: 'demo', log });
 *       const keys = createKeyRing(config.SLUICE_API_KEYS, config.SLUICE_ENV);
 *       const listener = createApi({ name: 'demo', log, registry, keys, routes: routesOver(pool) });
 *       return {
 *         api: { listener, port: config.SLUICE_HTTP_PORT },
 *         workers: [pollingWorker({ name: 'sweep', intervalMs: 1000, log, step: () => sweep(pool) })],
 *         dependencies: [pgDependency(pool)],
 *         startChecks: [pgSchemaCheck(pool, migrationSets)],
 *         close: [{ name: 'postgres', close: () => pool.end() }],
 *       };
 *     },
 *   });
 *
 * Further entries: `/http`, `/pg`, `/migrations`, `/temporal`.
 */
export type { Worker, Dependency, StartCheck, Closable, Composition } from './service.js';
export { runService } from './run/run-service.js';
export type { ServiceDefinition } from './run/run-service.js';
export { parseEnvironment } from './config/parse-environment.js';
export type { EnvironmentRecord, ParsedEnvironment, ParseOptions } from './config/parse-environment.js';
export { ConfigurationError } from './config/configuration-error.js';
export type { ConfigurationProblem } from './config/configuration-error.js';
export type { SummaryEntry } from './config/summary.js';
export { serviceVariables } from './config/service-variables.js';
export type { ServiceVariables } from './config/service-variables.js';
export {
  port,
  wholeNumber,
  secondsAsMs,
  text,
  textList,
  secretText,
  flag,
  oneOf,
  postgresUrl,
  redisUrl,
  oracleUrl,
  httpUrl,
  hostPort,
  hostPortList,
  apiKeyList,
} from './config/variables.js';
export { variable, malformed } from './config/variable.js';
export type { Variable, VariableMeta, Reading } from './config/variable.js';
export { configurationTable } from './config/configuration-table.js';
export { createLogger } from './log/logger.js';
export type { Logger, LoggerOptions } from './log/logger.js';
export type { Registry } from 'prom-client';
export { backoffDelay } from './timing/backoff.js';
export type { BackoffPolicy } from './timing/backoff.js';
export { retry } from './timing/retry.js';
export type { RetryPolicy } from './timing/retry.js';
export { pause } from './timing/pause.js';
export { systemClock } from './timing/clock.js';
export type { Clock } from './timing/clock.js';
export { pollingWorker } from './timing/polling-worker.js';
export type { PollingOptions } from './timing/polling-worker.js';
