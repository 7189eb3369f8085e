/**
 * Temporal: a client that connects lazily, and a worker that fits `runService`. A separate entry, since only some
 * services have the SDK installed.
 *
 *   const temporal = connectTemporal({ address: config.TEMPORAL_ADDRESS, namespace: config.TEMPORAL_NAMESPACE });
 *   const worker = temporalWorker({ name: 'things', taskQueue: 'things', activities, workflowBundlePath, log, drainMs, ... });
 *   return { workers: [worker], dependencies: [temporal.dependency], close: [{ name: 'temporal', close: temporal.close }] };
 */
export { connectTemporal } from './adapters/temporal-connection.js';
export type { TemporalConnection, TemporalOptions } from './adapters/temporal-connection.js';
export { temporalWorker } from './adapters/temporal-worker.js';
export type { TemporalWorkerOptions } from './adapters/temporal-worker.js';
