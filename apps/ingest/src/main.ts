import { join } from 'node:path';
import { createPgPayments, paymentsMigrations, standardRules } from '@sluice/payments';
import { createSchedulableContextActivities } from '@sluice/queue-core';
import { runService } from '@sluice/service-kit';
import { createApi, createKeyRing } from '@sluice/service-kit/http';
import { pgSchemaCheck } from '@sluice/service-kit/migrations';
import { connectPg, pgDependency } from '@sluice/service-kit/pg';
import { connectTemporal, temporalWorker } from '@sluice/service-kit/temporal';
import { createAcceptPayment } from './accept-payment.js';
import { createInitActivities } from './activities.js';
import { httpSlots } from './adapters/http-slots.js';
import { pgPayments } from './adapters/pg-payments.js';
import { connectQueueStore } from './adapters/queue-store.js';
import { temporalInitWorkflows } from './adapters/temporal-init-workflows.js';
import { environment } from './config.js';
import { createRoutes } from './http/routes.js';
import { createMetrics } from './metrics.js';
import { createViewPayment } from './view-payment.js';

const name = 'ingest';
// More would only wait for a connection: local activities and the API share the pool.
const poolSize = 20;

void runService({
  name,
  environment,
  compose({ config, log, registry }) {
    const metrics = createMetrics(registry);
    const pool = connectPg({ url: config.PG_URL, applicationName: name, poolSize, log });
    const server = { address: config.TEMPORAL_ADDRESS, namespace: config.TEMPORAL_NAMESPACE };
    const temporal = connectTemporal(server);
    const payments = pgPayments(createPgPayments(), pool);
    const store = connectQueueStore(config.ORACLE_URL, pool);
    const slots = httpSlots({
      url: config.SLUICE_SLOT_ASSIGNER_URL,
      key: config.SLUICE_SLOT_ASSIGNER_KEY,
      configName: config.SLUICE_SLOT_CONFIG,
      timeoutMs: config.SLUICE_SLOT_TIMEOUT_SECONDS,
      observe: metrics.slotsAsked,
    });
    const workflows = temporalInitWorkflows({
      client: temporal.client,
      taskQueue: config.SLUICE_TASK_QUEUE,
      timeoutMs: config.SLUICE_START_TIMEOUT_SECONDS,
    });
    const routes = createRoutes({
      acceptPayment: createAcceptPayment({ payments, workflows, metrics }),
      viewPayment: createViewPayment({ payments, workflows }),
    });
    const keys = createKeyRing(config.SLUICE_API_KEYS, config.SLUICE_ENV);
    const phaseA = temporalWorker({
      ...server,
      name: 'phase-a',
      taskQueue: config.SLUICE_TASK_QUEUE,
      workflowBundlePath: join(__dirname, 'workflow-bundle.js'),
      activities: {
        ...createInitActivities({ payments, slots, rules: standardRules, metrics }),
        ...createSchedulableContextActivities(store.queue),
      },
      log,
      drainMs: config.SLUICE_DRAIN_SECONDS * 1000,
      tuning: {
        maxConcurrentLocalActivityExecutions: poolSize,
        maxConcurrentActivityTaskExecutions: poolSize,
      },
    });
    return {
      api: { listener: createApi({ name, log, registry, keys, routes }), port: config.SLUICE_HTTP_PORT },
      workers: [phaseA],
      dependencies: [pgDependency(pool), temporal.dependency, ...store.dependencies],
      startChecks: [pgSchemaCheck(pool, [paymentsMigrations]), ...store.startChecks],
      close: [
        { name: 'temporal', close: () => temporal.close() },
        { name: 'slot-assigner', close: () => slots.close() },
        ...store.close,
        { name: 'postgres', close: () => pool.end() },
      ],
    };
  },
});
