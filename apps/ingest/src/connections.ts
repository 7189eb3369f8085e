import { createPgOutbox } from '@sluice/outbox';
import { createPgAdmissions, createPgPayments } from '@sluice/payments';
import type { Closable, Logger } from '@sluice/service-kit';
import { connectPg, pgDependency } from '@sluice/service-kit/pg';
import { connectTemporal } from '@sluice/service-kit/temporal';
import { httpSlots } from './adapters/http-slots.js';
import { httpTimeline } from './adapters/http-timeline.js';
import { pgAssessment, pgCancellations, pgScheduling, type PhaseAStores } from './adapters/pg-phase-a.js';
import { pgPaymentViews } from './adapters/pg-payment-views.js';
import { pgReceipts } from './adapters/pg-receipts.js';
import { pgRequestKeys } from './adapters/pg-request-keys.js';
import { connectQueueStore } from './adapters/queue-store.js';
import { temporalInitWorkflows } from './adapters/temporal-init-workflows.js';
import type { Config } from './config.js';
import type { Metrics } from './metrics.js';
import type { ParticipantLimits, Retention } from './ports.js';

/** More would only wait for a connection: local activities and the API share the pool. */
export const poolSize = 20;
const timelineMs = 3000;

interface Parts {
  readonly config: Config;
  readonly log: Logger;
  readonly metrics: Metrics;
}

export type Connections = ReturnType<typeof connect>;

/** Everything that reaches outside of the process, but for Kafka. */
export function connect({ config, log, metrics }: Parts) {
  const pool = connectPg({ url: config.PG_URL, applicationName: 'ingest', poolSize, log });
  const temporal = connectTemporal({
    address: config.TEMPORAL_ADDRESS,
    namespace: config.TEMPORAL_NAMESPACE,
  });
  const queueStore = connectQueueStore(config.ORACLE_URL, pool);
  const { slots, timeline } = connectServices(config, metrics);
  const { otherQueue } = queueStore;
  const outbox = createPgOutbox(pool);
  const action = config.SLUICE_DUPLICATES;
  const withinMs = config.SLUICE_DUPLICATE_SPAN_SECONDS;
  const admissions = createPgAdmissions({
    timeZone: config.SLUICE_LIMIT_TIME_ZONE,
    duplicates: action === 'off' ? { action } : { action, withinMs },
  });
  const stores: PhaseAStores = { pool, store: createPgPayments(), admissions, outbox, otherQueue };
  const limits: ParticipantLimits = {
    set: (change) => admissions.setLimit(pool, change),
    list: (participantId) => admissions.listLimits(pool, participantId),
  };
  const lookAlikes: Retention = {
    prune: (olderThan, atMost) => admissions.forgetLookAlikes(pool, olderThan, atMost),
  };
  const close: Closable[] = [
    { name: 'temporal', close: () => temporal.close() },
    { name: 'slot-assigner', close: () => slots.close() },
    timeline,
    ...queueStore.close,
    { name: 'postgres', close: () => pool.end() },
  ];
  return {
    pool,
    queueStore,
    dependencies: [pgDependency(pool), temporal.dependency, ...queueStore.dependencies],
    slots,
    timeline,
    workflows: temporalInitWorkflows({
      client: temporal.client,
      taskQueue: config.SLUICE_TASK_QUEUE,
      timeoutMs: config.SLUICE_START_TIMEOUT_SECONDS,
    }),
    receipts: pgReceipts(pool),
    requestKeys: pgRequestKeys(pool),
    views: pgPaymentViews({ ...stores, db: pool }),
    assessment: pgAssessment(stores),
    scheduling: pgScheduling(stores),
    cancellations: pgCancellations(stores),
    limits,
    lookAlikes,
    close,
  };
}

function connectServices(config: Config, metrics: Metrics) {
  const slots = httpSlots({
    url: config.SLUICE_SLOT_ASSIGNER_URL,
    key: config.SLUICE_SLOT_ASSIGNER_KEY,
    configName: config.SLUICE_SLOT_CONFIG,
    timeoutMs: config.SLUICE_SLOT_TIMEOUT_SECONDS,
    observe: metrics.slotsAsked,
  });
  const timeline = httpTimeline({
    dispatcher: { url: config.SLUICE_DISPATCHER_URL, key: config.SLUICE_DISPATCHER_KEY },
    execWorker: { url: config.SLUICE_EXEC_WORKER_URL, key: config.SLUICE_EXEC_WORKER_KEY },
    webhookRelayer: { url: config.SLUICE_WEBHOOK_RELAYER_URL, key: config.SLUICE_WEBHOOK_RELAYER_KEY },
    timeoutMs: timelineMs,
  });
  return { slots, timeline };
}
