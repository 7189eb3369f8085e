import { join } from 'node:path';
import { createPgQueue, queueMigrations } from '@sluice/queue-core';
import { pause, runService, systemClock } from '@sluice/service-kit';
import { createApi, createKeyRing } from '@sluice/service-kit/http';
import { pgSchemaCheck } from '@sluice/service-kit/migrations';
import { connectPg, pgDependency } from '@sluice/service-kit/pg';
import { connectTemporal, temporalWorker } from '@sluice/service-kit/temporal';
import { createDispatcherActivities } from './activities.js';
import { createTemporalSchedules } from './adapters/temporal-schedules.js';
import { connectExecStarter } from './adapters/temporal-starter.js';
import { environment } from './config.js';
import { createDispatchBatch } from './dispatch-batch.js';
import { createRoutes } from './http/routes.js';
import { gaugeWorker } from './measure-queue.js';
import { createMetrics } from './metrics.js';
import { scheduleWorker } from './reconcile-schedules.js';

void runService({
  name: 'dispatcher',
  environment,
  compose({ config, log, registry }) {
    const pool = connectPg({ url: config.PG_URL, applicationName: 'dispatcher', log });
    const place = { address: config.TEMPORAL_ADDRESS, namespace: config.TEMPORAL_NAMESPACE };
    const temporal = connectTemporal(place);
    const starter = connectExecStarter({ ...place, deadlineMs: config.SLUICE_START_TIMEOUT_SECONDS });
    const taskQueue = config.SLUICE_TASK_QUEUE;

    const queue = createPgQueue(pool);
    const metrics = createMetrics(registry);
    const schedules = createTemporalSchedules(temporal.client);
    const dispatchBatch = createDispatchBatch({
      queue,
      starter,
      metrics,
      time: { now: () => performance.now(), pause, random: Math.random },
      concurrency: config.SLUICE_START_CONCURRENCY,
      maxSubBatch: config.SLUICE_SUB_BATCH_SIZE,
    });
    const keys = createKeyRing(config.SLUICE_API_KEYS, config.SLUICE_ENV);
    const routes = createRoutes(queue);

    return {
      api: {
        port: config.SLUICE_HTTP_PORT,
        listener: createApi({ name: 'dispatcher', log, registry, keys, routes }),
      },
      workers: [
        temporalWorker({
          ...place,
          name: 'dispatch-worker',
          taskQueue,
          workflowBundlePath: join(__dirname, 'workflow-bundle.js'),
          activities: createDispatcherActivities({ queue, dispatchBatch }),
          log,
          drainMs: config.SLUICE_DRAIN_SECONDS * 1000,
          tuning: { maxConcurrentWorkflowTaskExecutions: 5, maxConcurrentActivityTaskExecutions: 10 },
        }),
        scheduleWorker({
          queue,
          schedules,
          taskQueue,
          clock: systemClock,
          log,
          schedulePrefix: config.SLUICE_SCHEDULE_PREFIX,
        }),
        gaugeWorker({ queue, metrics, log }),
      ],
      dependencies: [pgDependency(pool), temporal.dependency],
      startChecks: [pgSchemaCheck(pool, [queueMigrations])],
      close: [
        { name: 'exec-starter', close: () => starter.close() },
        { name: 'temporal', close: () => temporal.close() },
        { name: 'postgres', close: () => pool.end() },
      ],
    };
  },
});
