import { join } from 'node:path';
import { pollingWorker, runService, systemClock } from '@sluice/service-kit';
import { createApi, createKeyRing } from '@sluice/service-kit/http';
import { pgSchemaCheck } from '@sluice/service-kit/migrations';
import { temporalWorker } from '@sluice/service-kit/temporal';
import { environment } from './config.js';
import { connect, poolSize } from './connections.js';
import { endUploads } from './end-uploads.js';
import { createRoutes } from './http/routes.js';
import { createMetrics } from './metrics.js';
import { ingestMigrations } from './migration-set.js';
import { createPruneIntake } from './prune-intake.js';
import { connectRequestIntake } from './request-intake.js';
import { ruleSettings } from './rule-settings.js';
import { createUseCases } from './use-cases.js';

const name = 'ingest';

void runService({
  name,
  environment,
  compose({ config, log, registry }) {
    const metrics = createMetrics(registry);
    const outside = connect({ config, log, metrics });
    const { pool, queueStore } = outside;
    const stopping = new AbortController();
    const useCases = createUseCases({
      outside,
      settings: ruleSettings(config),
      metrics,
      log,
      stopping: stopping.signal,
      uploadPatienceMs: config.SLUICE_UPLOAD_PATIENCE_SECONDS,
    });
    const requests = connectRequestIntake({ config, log, metrics, acceptPayments: useCases.acceptPayments });
    const phaseA = temporalWorker({
      address: config.TEMPORAL_ADDRESS,
      namespace: config.TEMPORAL_NAMESPACE,
      name: 'phase-a',
      taskQueue: config.SLUICE_TASK_QUEUE,
      workflowBundlePath: join(__dirname, 'workflow-bundle.js'),
      activities: useCases.activities,
      log,
      drainMs: config.SLUICE_DRAIN_SECONDS * 1000,
      tuning: { maxConcurrentLocalActivityExecutions: poolSize },
    });
    const prune = createPruneIntake({
      clock: systemClock,
      keepDays: config.SLUICE_KEEP_RECEIPTS_DAYS,
      stores: [outside.receipts, outside.requestKeys, outside.lookAlikes],
    });
    const keys = createKeyRing(config.SLUICE_API_KEYS, config.SLUICE_ENV);
    return {
      api: {
        listener: createApi({ name, log, registry, keys, routes: createRoutes(useCases.api) }),
        port: config.SLUICE_HTTP_PORT,
      },
      workers: [
        phaseA,
        ...requests.workers,
        pollingWorker({ name: 'prune-intake', intervalMs: 600_000, log, step: prune }),
        endUploads(stopping),
      ],
      dependencies: [...outside.dependencies, ...requests.dependencies],
      startChecks: [
        pgSchemaCheck(pool, ingestMigrations),
        ...queueStore.startChecks,
        ...requests.startChecks,
      ],
      flush: requests.flush,
      close: outside.close,
    };
  },
});
