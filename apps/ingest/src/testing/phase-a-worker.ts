import { join } from 'node:path';
import { Connection, Client } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { Registry } from 'prom-client';
import { createPgPayments, standardRules } from '@sluice/payments';
import { createPgQueue, createSchedulableContextActivities } from '@sluice/queue-core';
import { createLogger } from '@sluice/service-kit';
import { connectPg } from '@sluice/service-kit/pg';
import { createInitActivities } from '../activities.js';
import { httpSlots } from '../adapters/http-slots.js';
import { pgPayments } from '../adapters/pg-payments.js';
import { createMetrics } from '../metrics.js';
import { startSlotAssignerStandIn } from './slot-assigner-stand-in.js';

export const workflowBundle = { codePath: join(__dirname, '..', '..', 'dist', 'workflow-bundle.js') };

export interface PhaseAOptions {
  readonly pgUrl: string;
  readonly temporalAddress: string;
  readonly taskQueue: string;
}

/** Phase A's worker on real servers, as main.ts composes it, with switches to let it die. */
export async function startPhaseA({ pgUrl, temporalAddress, taskQueue }: PhaseAOptions) {
  quietRuntime();
  const log = createLogger({ service: 'ingest', level: 'silent' });
  const pool = connectPg({ url: pgUrl, applicationName: taskQueue, log });
  const payments = pgPayments(createPgPayments(), pool);
  const queue = createPgQueue(pool);
  const standIn = await startSlotAssignerStandIn();
  const slots = httpSlots({
    url: standIn.url,
    key: 'slk_test_key',
    configName: 'payments',
    timeoutMs: 1000,
    observe: () => undefined,
  });
  /** Activities and writes that are to die once: their work is done, and nobody hears of it. */
  const dying = new Set<string>();
  const activities = {
    ...createInitActivities({
      payments: dieAfter(payments, dying),
      slots,
      rules: standardRules,
      metrics: createMetrics(new Registry()),
    }),
    ...createSchedulableContextActivities(queue),
  };

  const native = await NativeConnection.connect({ address: temporalAddress });
  const worker = await Worker.create({
    connection: native,
    taskQueue,
    workflowBundle,
    activities: dieAfter(activities, dying),
  });
  const running = worker.run();
  const connection = await Connection.connect({ address: temporalAddress });
  return {
    client: new Client({ connection }),
    pool,
    payments,
    queue,
    standIn,
    dying,
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
