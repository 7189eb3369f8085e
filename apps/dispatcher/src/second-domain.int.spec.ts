import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { Registry } from 'prom-client';
import { createPgQueue, createSchedulableContextActivities } from '@sluice/queue-core';
import type { DispatchQueue } from '@sluice/queue-core';
import { createLogger, pause, systemClock } from '@sluice/service-kit';
import { connectPg } from '@sluice/service-kit/pg';
import type { Pool } from '@sluice/service-kit/pg';
import { connectTemporal, temporalWorker } from '@sluice/service-kit/temporal';
import type { TemporalConnection } from '@sluice/service-kit/temporal';
import { createDispatcherActivities } from './activities.js';
import { createTemporalSchedules } from './adapters/temporal-schedules.js';
import { connectExecStarter } from './adapters/temporal-starter.js';
import { createDispatchBatch } from './dispatch-batch.js';
import { createMetrics } from './metrics.js';
import { createReconcileSchedules } from './reconcile-schedules.js';
import type { InvoiceInitWorkflow } from './testing/invoice-workflows.js';

// Invoices are nothing that the queue or the dispatcher know of. What they need is in this file and in
// testing/invoice-workflows.ts: a config row, an init workflow with a ScheduleLifecycle, an exec workflow.

const place = { address: process.env['TEMPORAL_ADDRESS'] ?? '', namespace: 'default' };
const testName = process.env['TEST_NAME'] ?? 'test';
const dispatchTaskQueue = `${testName}-dispatch`;
const invoiceTaskQueue = `${testName}-invoices`;
const log = createLogger({ service: 'test', level: 'fatal' });

describe('a second domain', () => {
  const stop = new AbortController();
  const sent: { id: string; cents: number; atMs: number }[] = [];
  let folder: string;
  let pool: Pool;
  let queue: DispatchQueue;
  let temporal: TemporalConnection;
  let starter: ReturnType<typeof connectExecStarter>;
  let working: Promise<void>[];

  beforeAll(async () => {
    pool = connectPg({ url: process.env['PG_URL'] ?? '', applicationName: 'test', log });
    queue = createPgQueue(pool);
    temporal = connectTemporal(place);
    starter = connectExecStarter({ ...place, deadlineMs: 10_000 });
    folder = await mkdtemp(join(tmpdir(), 'sluice-invoices-'));
    const { code } = await bundleWorkflowCode({
      workflowsPath: require.resolve('./testing/invoice-workflows'),
      logger: new DefaultLogger('ERROR'),
    });
    await writeFile(join(folder, 'bundle.js'), code);

    const sendInvoice = async (id: string, cents: number) => {
      sent.push({ id, cents, atMs: Date.now() });
    };
    const invoiceWorker = temporalWorker({
      ...place,
      name: 'invoices',
      taskQueue: invoiceTaskQueue,
      workflowBundlePath: join(folder, 'bundle.js'),
      activities: { ...createSchedulableContextActivities(queue), sendInvoice },
      log,
      drainMs: 5_000,
    });
    const metrics = createMetrics(new Registry());
    const time = { now: () => performance.now(), pause, random: Math.random };
    const dispatchBatch = createDispatchBatch({
      queue,
      starter,
      metrics,
      time,
      concurrency: 10,
      maxSubBatch: 10,
    });
    const dispatchWorker = temporalWorker({
      ...place,
      name: 'dispatcher',
      taskQueue: dispatchTaskQueue,
      workflowBundlePath: join(__dirname, '..', 'dist', 'workflow-bundle.js'),
      activities: createDispatcherActivities({ queue, dispatchBatch, metrics, clock: systemClock }),
      log,
      drainMs: 5_000,
    });
    working = [invoiceWorker, dispatchWorker].map((worker) => worker.run(stop.signal, () => undefined));
  }, 60_000);

  afterAll(async () => {
    stop.abort();
    await Promise.all(working);
    await starter.close();
    await temporal.close();
    await pool.end();
    await rm(folder, { recursive: true });
  });

  it('needs a config row, an exec workflow and a ScheduleLifecycle, and then each invoice is sent once', async () => {
    const config = {
      enabled: true,
      batchSize: 50,
      dispatchIntervalSecs: 1,
      jitterWindowMs: 0,
      preStartBufferMins: 1,
      maxDispatchRetries: 3,
      staleClaimThresholdMins: 2,
      execWorkflowType: 'InvoiceExecWorkflow',
      execTaskQueue: invoiceTaskQueue,
    };
    expect(await queue.writeConfig({ itemType: 'INVOICE', config, by: 'test' })).toEqual({ kind: 'created' });
    const schedulePrefix = `${testName}-`;
    await createReconcileSchedules({
      queue,
      schedules: createTemporalSchedules(temporal.client),
      clock: systemClock,
      log,
      schedulePrefix,
      taskQueue: dispatchTaskQueue,
    })(stop.signal);

    const sendAt = new Date(Date.now() + 3_000);
    const invoices = Array.from({ length: 12 }, (_, index) => ({
      id: `${testName}-${index}`,
      cents: 100 + index,
      sendAt: sendAt.toISOString(),
    }));
    try {
      const reports = await Promise.all(
        invoices.map((invoice) =>
          temporal.client.workflow.execute<typeof InvoiceInitWorkflow>('InvoiceInitWorkflow', {
            workflowId: `init-invoice-${invoice.id}`,
            taskQueue: invoiceTaskQueue,
            args: [invoice],
          }),
        ),
      );
      // The init workflows have ended, long before anything is sent.
      expect(reports).toEqual(invoices.map(() => ({ enqueued: 1, duplicates: 0, conflicts: [] })));
      expect(sent).toEqual([]);

      await eventually(() => sent.length >= invoices.length);
      await Promise.all(
        invoices.map(({ id }) => temporal.client.workflow.getHandle(`exec-invoice-${id}`).result()),
      );
      expect(sent.map(({ id, cents }) => ({ id, cents })).toSorted((a, b) => a.cents - b.cents)).toEqual(
        invoices.map(({ id, cents }) => ({ id, cents })),
      );
      expect(Math.min(...sent.map(({ atMs }) => atMs))).toBeGreaterThanOrEqual(sendAt.getTime());
      for (const { id } of invoices) {
        const found = await queue.findItem('INVOICE', id);
        expect(found?.row).toMatchObject({
          status: 'DISPATCHED',
          execWorkflowId: `exec-invoice-${id}`,
          initWorkflowId: `init-invoice-${id}`,
        });
      }
    } finally {
      await temporal.client.schedule.getHandle(`${schedulePrefix}invoice`).delete();
    }
  });
});

async function eventually(isSo: () => boolean): Promise<void> {
  const deadline = performance.now() + 30_000;
  while (!isSo()) {
    if (performance.now() > deadline) throw new Error('it did not happen within 30 s');
    await sleep(100);
  }
}
