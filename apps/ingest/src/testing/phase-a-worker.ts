import { join } from 'node:path';
import { Connection, Client } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { Registry } from 'prom-client';
import { createPgOutbox } from '@sluice/outbox';
import {
  createPgAdmissions,
  createPgPayments,
  type AdmissionPolicy,
  type RuleSettings,
} from '@sluice/payments';
import { createPgQueue } from '@sluice/queue-core';
import { createLogger } from '@sluice/service-kit';
import { connectPg } from '@sluice/service-kit/pg';
import { httpSlots } from '../adapters/http-slots.js';
import { pgPaymentViews } from '../adapters/pg-payment-views.js';
import { pgAssessment, pgCancellations, pgScheduling, type PhaseAStores } from '../adapters/pg-phase-a.js';
import { pgReceipts } from '../adapters/pg-receipts.js';
import { pgRequestKeys } from '../adapters/pg-request-keys.js';
import { temporalInitWorkflows } from '../adapters/temporal-init-workflows.js';
import { createMetrics } from '../metrics.js';
import type { Scheduling, TimelineSource } from '../ports.js';
import { createUseCases } from '../use-cases.js';
import { startSlotAssignerStandIn } from './slot-assigner-stand-in.js';

export const workflowBundle = { codePath: join(__dirname, '..', '..', 'dist', 'workflow-bundle.js') };

export interface PhaseAOptions {
  readonly pgUrl: string;
  readonly temporalAddress: string;
  readonly taskQueue: string;
  readonly policy?: AdmissionPolicy;
  readonly settings?: RuleSettings;
  readonly timelineSources?: readonly TimelineSource[];
}

const standardPolicy: AdmissionPolicy = { timeZone: 'UTC', duplicates: { action: 'off' } };

/** Everything of ingest on real servers, as main.ts composes it, with switches to let Phase A die. */
export async function startPhaseA(options: PhaseAOptions) {
  const { pgUrl, temporalAddress, taskQueue, policy = standardPolicy, settings = {} } = options;
  quietRuntime();
  const log = createLogger({ service: 'ingest', level: 'silent' });
  const pool = connectPg({ url: pgUrl, applicationName: taskQueue, log });
  const standIn = await startSlotAssignerStandIn();
  const slots = httpSlots({
    url: standIn.url,
    key: 'slk_test_key',
    configName: 'payments',
    timeoutMs: 1000,
    observe: () => undefined,
  });
  const admissions = createPgAdmissions(policy);
  const stores: PhaseAStores = {
    pool,
    store: createPgPayments(),
    admissions,
    outbox: createPgOutbox(pool),
    otherQueue: undefined,
  };
  const connection = await Connection.connect({ address: temporalAddress });
  const client = new Client({ connection });
  /** Activities and writes that are to die once: their work is done, and nobody hears of it. */
  const dying = new Set<string>();
  const outside = {
    slots,
    timeline: {
      name: 'timeline',
      sources: options.timelineSources ?? [],
      close: async (): Promise<void> => undefined,
    },
    workflows: temporalInitWorkflows({ client, taskQueue, timeoutMs: 5000 }),
    receipts: pgReceipts(pool),
    requestKeys: pgRequestKeys(pool),
    views: pgPaymentViews({ ...stores, db: pool }),
    assessment: dieAfter(pgAssessment(stores), dying),
    scheduling: dieWithin(pgScheduling(stores), dying),
    cancellations: pgCancellations(stores),
    limits: {
      set: (change: Parameters<typeof admissions.setLimit>[1]) => admissions.setLimit(pool, change),
      list: (participantId: Parameters<typeof admissions.listLimits>[1]) =>
        admissions.listLimits(pool, participantId),
    },
  };
  const stopping = new AbortController();
  const composeWith = (changes: Partial<typeof outside>, registry = new Registry()) =>
    createUseCases({
      outside: { ...outside, ...changes },
      settings,
      metrics: createMetrics(registry),
      log,
      stopping: stopping.signal,
      uploadPatienceMs: 300,
    });
  const useCases = composeWith({});

  const native = await NativeConnection.connect({ address: temporalAddress });
  const worker = await Worker.create({
    connection: native,
    taskQueue,
    workflowBundle,
    activities: dieAfter(useCases.activities, dying),
  });
  const running = worker.run();
  return {
    ...outside,
    client,
    pool,
    queue: createPgQueue(pool),
    standIn,
    dying,
    stopping,
    useCases,
    composeWith,
    async close() {
      worker.shutdown();
      await running;
      await native.close();
      await connection.close();
      await slots.close();
      await standIn.close();
      await pool.end();
    },
  };
}

/** Each function works as before, and throws after its work if its name is in the set, once. */
function dieAfter<T extends object>(functions: T, dying: Set<string>): T {
  const entries = Object.entries(functions).map(
    ([name, work]: [string, (...args: unknown[]) => Promise<unknown>]) => [
      name,
      async (...args: unknown[]) => {
        const result = await work(...args);
        if (dying.delete(name)) throw new Error(`killed after ${name}`);
        return result;
      },
    ],
  );
  return Object.fromEntries(entries) as T;
}

/** The same for each write inside of the transaction, and for the commit as a whole. */
function dieWithin(scheduling: Scheduling, dying: Set<string>): Scheduling {
  return dieAfter(
    { schedule: (work) => scheduling.schedule((transaction) => work(dieAfter(transaction, dying))) },
    dying,
  );
}

let isQuiet = false;

/** The runtime takes a logger once a process, before its first worker. */
function quietRuntime(): void {
  if (isQuiet) return;
  isQuiet = true;
  Runtime.install({
    logger: new DefaultLogger('ERROR', () => undefined),
    telemetryOptions: { logging: { filter: 'OFF', forward: {} } },
  });
}
