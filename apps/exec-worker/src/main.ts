import { join } from 'node:path';
import { createPgOutbox, outboxMigrations } from '@sluice/outbox';
import { createPgPayments, paymentsMigrations } from '@sluice/payments';
import { runService, systemClock as clock } from '@sluice/service-kit';
import { createApi, createKeyRing } from '@sluice/service-kit/http';
import { pgSchemaCheck } from '@sluice/service-kit/migrations';
import { connectPg, pgDependency } from '@sluice/service-kit/pg';
import { connectTemporal, temporalWorker } from '@sluice/service-kit/temporal';
import { createExecActivities } from './activities.js';
import { httpGateway } from './adapters/http-rail.js';
import { pgCircuitModes } from './adapters/pg-circuit-modes.js';
import { pgExecutions } from './adapters/pg-executions.js';
import { pgPaymentStatuses } from './adapters/pg-payment-statuses.js';
import { environment } from './config.js';
import { createRoutes } from './http/routes.js';
import { createMetrics } from './metrics.js';
import { execWorkerMigrations } from './migrations.js';
import { createRailWorkers } from './rail-workers.js';
import { openRails } from './rails/open-rails.js';
import { recordOutcomes } from './record-outcomes.js';

const name = 'exec-worker';
// More steps at once than connections would only wait for each other.
const poolSize = 20;

void runService({
  name,
  environment,
  compose({ config, log, registry }) {
    const metrics = createMetrics(registry);
    const pool = connectPg({ url: config.PG_URL, applicationName: name, poolSize, log });
    const server = { address: config.TEMPORAL_ADDRESS, namespace: config.TEMPORAL_NAMESPACE };
    const temporal = connectTemporal(server);
    const gateway = httpGateway({
      url: config.SLUICE_RAIL_URL,
      timeoutMs: config.SLUICE_RAIL_TIMEOUT_SECONDS,
      connections: config.SLUICE_RELAY_CONCURRENCY,
    });

    const outbox = createPgOutbox(pool);
    const payments = createPgPayments();
    const executions = pgExecutions({ pool, payments, outbox });
    const modes = pgCircuitModes(pool);
    const board = openRails({ gateway, modes, config, metrics, log });
    const store = recordOutcomes({ store: outbox, executions, clock });

    const phaseB = temporalWorker({
      ...server,
      name: 'phase-b',
      taskQueue: config.SLUICE_TASK_QUEUE,
      workflowBundlePath: join(__dirname, 'workflow-bundle.js'),
      activities: createExecActivities({ executions, clock }),
      log,
      drainMs: config.SLUICE_DRAIN_SECONDS * 1000,
      tuning: { maxConcurrentLocalActivityExecutions: poolSize },
    });
    const railWorkers = createRailWorkers({ store, outbox, board, config, metrics, log });

    const keys = createKeyRing(config.SLUICE_API_KEYS, config.SLUICE_ENV);
    const statusesOf = pgPaymentStatuses(pool, payments);
    const routes = createRoutes({ outbox, executions, statusesOf, board, modes, clock });
    return {
      api: { listener: createApi({ name, log, registry, keys, routes }), port: config.SLUICE_HTTP_PORT },
      workers: [phaseB, ...railWorkers],
      dependencies: [pgDependency(pool), temporal.dependency],
      startChecks: [pgSchemaCheck(pool, [paymentsMigrations, outboxMigrations, execWorkerMigrations])],
      close: [
        { name: 'rails', close: () => gateway.close() },
        { name: 'temporal', close: () => temporal.close() },
        { name: 'postgres', close: () => pool.end() },
      ],
    };
  },
});
