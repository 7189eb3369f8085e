import { join } from 'node:path';
import { pause, runService, systemClock } from '@sluice/service-kit';
import { createApi, createKeyRing } from '@sluice/service-kit/http';
import { connectTemporal, temporalWorker } from '@sluice/service-kit/temporal';
import { createDispatcherActivities } from './activities.js';
import { connectQueueStore } from './adapters/queue-store.js';
import { createTemporalSchedules } from './adapters/temporal-schedules.js';
import { connectExecStarter } from './adapters/temporal-starter.js';
import { environment, storeAddress } from './config.js';
import { createDispatchBatch } from './dispatch-batch.js';
import { createRoutes } from './http/routes.js';
import { createMetrics } from './metrics.js';
import { standingWorkers } from './standing-workers.js';

void runService({
  name: 'dispatcher',
  environment,
  compose({ config, log, registry }) {
    const store = connectQueueStore(storeAddress(config), log);
    const place = { address: config.TEMPORAL_ADDRESS, namespace: config.TEMPORAL_NAMESPACE };
    const temporal = connectTemporal(place);
    const starter = connectExecStarter({ ...place, deadlineMs: config.SLUICE_START_TIMEOUT_SECONDS });
    const taskQueue = config.SLUICE_TASK_QUEUE;

    const { queue } = store;
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
    const schedulePrefix = config.SLUICE_SCHEDULE_PREFIX;
    const routes = createRoutes({ queue, schedules, schedulePrefix });
    const standing = { queue, schedules, schedulePrefix, taskQueue, metrics, clock: systemClock, log };

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
          activities: createDispatcherActivities({ queue, dispatchBatch, metrics, clock: systemClock }),
          log,
          drainMs: config.SLUICE_DRAIN_SECONDS * 1000,
          tuning: { maxConcurrentWorkflowTaskExecutions: 5, maxConcurrentActivityTaskExecutions: 10 },
        }),
        ...standingWorkers(standing, config),
      ],
      dependencies: [store.dependency, temporal.dependency],
      startChecks: [store.startCheck],
      close: [
        { name: 'exec-starter', close: () => starter.close() },
        { name: 'temporal', close: () => temporal.close() },
        store.close,
      ],
    };
  },
});
