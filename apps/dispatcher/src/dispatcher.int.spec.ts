import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Registry } from 'prom-client';
import { createPgQueue } from '@sluice/queue-core';
import type { DispatchConfig, DispatchQueue, NewItem } from '@sluice/queue-core';
import { createLogger, pause, systemClock } from '@sluice/service-kit';
import { connectPg } from '@sluice/service-kit/pg';
import type { Pool } from '@sluice/service-kit/pg';
import { connectTemporal, temporalWorker } from '@sluice/service-kit/temporal';
import type { TemporalConnection } from '@sluice/service-kit/temporal';
import { createDispatcherActivities } from './activities.js';
import { createTemporalSchedules } from './adapters/temporal-schedules.js';
import { connectExecStarter } from './adapters/temporal-starter.js';
import type { CycleCounts } from './cycle-counts.js';
import { createDispatchBatch } from './dispatch-batch.js';
import { createMetrics } from './metrics.js';
import type { ExecStarter } from './ports.js';
import { createReconcileSchedules } from './reconcile-schedules.js';

const place = { address: process.env['TEMPORAL_ADDRESS'] ?? '', namespace: 'default' };
const testName = process.env['TEST_NAME'] ?? 'test';
const taskQueue = `${testName}-dispatch`;
// Nobody polls it: to be started, a workflow needs no worker.
const execTaskQueue = `${testName}-exec`;
const bundle = join(__dirname, '..', 'dist', 'workflow-bundle.js');
const log = createLogger({ service: 'test', level: 'fatal' });

const settings: DispatchConfig = {
  enabled: true,
  batchSize: 100,
  dispatchIntervalSecs: 2,
  jitterWindowMs: 0,
  preStartBufferMins: 1,
  maxDispatchRetries: 3,
  staleClaimThresholdMins: 2,
  execWorkflowType: 'SampleExecWorkflow',
  execTaskQueue,
};

describe('the dispatcher on Temporal and PostgreSQL', () => {
  const stop = new AbortController();
  const startedIds: string[] = [];
  const registry = new Registry();
  let pool: Pool;
  let queue: DispatchQueue;
  let temporal: TemporalConnection;
  let starter: ExecStarter & { close(): Promise<void> };
  let working: Promise<void>;

  beforeAll(() => {
    if (!existsSync(bundle)) throw new Error(`build the dispatcher first: ${bundle} is missing`);
    pool = connectPg({ url: process.env['PG_URL'] ?? '', applicationName: 'test', log });
    queue = createPgQueue(pool);
    temporal = connectTemporal(place);
    starter = connectExecStarter({ ...place, deadlineMs: 10_000 });
    const metrics = createMetrics(registry);
    const dispatchBatch = createDispatchBatch({
      queue,
      starter,
      metrics,
      time: { now: () => performance.now(), pause, random: Math.random },
      concurrency: 10,
      maxSubBatch: 10,
    });
    const activities = createDispatcherActivities({ queue, dispatchBatch, metrics, clock: systemClock });
    const worker = temporalWorker({
      ...place,
      name: 'test',
      taskQueue,
      workflowBundlePath: bundle,
      activities,
      log,
      drainMs: 5_000,
    });
    working = worker.run(stop.signal, () => undefined);
  });

  afterAll(async () => {
    stop.abort();
    await working;
    await Promise.all(
      startedIds.map((id) =>
        temporal.client.workflow
          .getHandle(id)
          .terminate('test is over')
          .catch(() => undefined),
      ),
    );
    await starter.close();
    await temporal.close();
    await pool.end();
  });

  async function newItemType(changes: Partial<DispatchConfig> = {}): Promise<string> {
    const itemType = `E${randomBytes(8).toString('hex').toUpperCase()}`;
    await queue.writeConfig({ itemType, config: { ...settings, ...changes }, by: 'test' });
    return itemType;
  }

  function itemOf(
    itemType: string,
    itemId: string,
    scheduledExecTime = new Date(Date.now() - 1_000),
  ): NewItem {
    startedIds.push(execId(itemType, itemId));
    const contextJson = JSON.stringify({ marker: 'only-in-the-exec-workflow', itemId });
    return { itemType, itemId, contextJson, contextVersion: 1, scheduledExecTime, initWorkflowId: 'init' };
  }

  const execId = (itemType: string, itemId: string) => `exec-${itemType.toLowerCase()}-${itemId}`;

  async function runCycle(itemType: string): Promise<{ workflowId: string; counts: CycleCounts | null }> {
    const workflowId = `${testName}-cycle-${randomBytes(6).toString('hex')}`;
    const args = [itemType];
    const run = await temporal.client.workflow.start('DispatcherWorkflow', { workflowId, taskQueue, args });
    return { workflowId, counts: (await run.result()) as CycleCounts | null };
  }

  it('starts each due item once, marks it, and finds nothing left in the next cycle', async () => {
    const itemType = await newItemType();
    const ids = Array.from({ length: 25 }, (_, index) => `i${index}`);
    await queue.enqueue(ids.map((id) => itemOf(itemType, id)));
    const { workflowId, counts } = await runCycle(itemType);
    expect(counts).toMatchObject({ claimed: 25, started: 25, failed: 0, end: 'drained' });
    for (const id of ids) {
      const { row } = (await queue.findItem(itemType, id)) ?? {};
      expect(row).toMatchObject({ status: 'DISPATCHED', execWorkflowId: execId(itemType, id) });
      const execution = await temporal.client.workflow.getHandle(execId(itemType, id)).describe();
      expect(execution).toMatchObject({ type: 'SampleExecWorkflow', taskQueue: execTaskQueue });
    }
    expect((await runCycle(itemType)).counts).toMatchObject({ claimed: 0, end: 'drained' });

    const history = await temporal.client.workflow.getHandle(workflowId).fetchHistory();
    const asText = JSON.stringify(history, (key, value: unknown) =>
      key === 'data' && typeof value === 'string' ? Buffer.from(value, 'base64').toString() : value,
    );
    expect(asText).toContain('drained');
    expect(asText).not.toContain('only-in-the-exec-workflow');
    const { rows } = await pool.query<{ detail: string }>(
      "SELECT detail FROM dispatch_audit_log WHERE item_type = $1 AND action = 'BATCH_COMPLETE'",
      [itemType],
    );
    expect(rows.map((row) => JSON.parse(row.detail) as unknown)).toEqual([counts]);
  });

  it('gives the exec workflow the id and the context as its arguments', async () => {
    const itemType = await newItemType();
    const item = itemOf(itemType, 'a');
    await queue.enqueue([item]);
    await runCycle(itemType);
    const history = await temporal.client.workflow.getHandle(execId(itemType, 'a')).fetchHistory();
    const payloads = history.events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
    const args = payloads.map((payload) => JSON.parse(Buffer.from(payload.data ?? []).toString()) as unknown);
    expect(args).toEqual(['a', item.contextJson]);
  });

  it('does not start an item again whose workflow is open or has ended', async () => {
    const itemType = await newItemType();
    await queue.enqueue([itemOf(itemType, 'open'), itemOf(itemType, 'closed')]);
    for (const id of ['open', 'closed']) {
      await temporal.client.workflow.start('SampleExecWorkflow', {
        workflowId: execId(itemType, id),
        taskQueue: execTaskQueue,
      });
    }
    await temporal.client.workflow.getHandle(execId(itemType, 'closed')).terminate('it has ended');
    expect((await runCycle(itemType)).counts).toMatchObject({ started: 0, alreadyStarted: 2, failed: 0 });
    for (const id of ['open', 'closed']) {
      const found = await queue.findItem(itemType, id);
      expect(found?.row.status).toBe('DISPATCHED');
      expect(found?.trail.at(-1)?.action).toBe('ALREADY_STARTED');
    }
  });

  it('does nothing while the kill switch is on', async () => {
    const itemType = await newItemType({ enabled: false });
    await queue.enqueue([itemOf(itemType, 'a')]);
    expect((await runCycle(itemType)).counts).toBeNull();
    expect((await queue.findItem(itemType, 'a'))?.row.status).toBe('READY');
    await expect(temporal.client.workflow.getHandle(execId(itemType, 'a')).describe()).rejects.toThrow();
  });

  it('never lets an exec workflow run before its scheduled time', async () => {
    const itemType = await newItemType({ jitterWindowMs: 200 });
    const scheduled = new Date(Date.now() + 5_000);
    await queue.enqueue([itemOf(itemType, 'ahead', scheduled), itemOf(itemType, 'overdue')]);
    expect((await runCycle(itemType)).counts).toMatchObject({ started: 2 });

    const ahead = temporal.client.workflow.getHandle(execId(itemType, 'ahead'));
    const described = await ahead.describe();
    expect(described.executionTime?.getTime()).toBeGreaterThanOrEqual(scheduled.getTime());
    const firstTask = await eventually(async () => {
      const { events } = await ahead.fetchHistory();
      return events?.find((event) => event.workflowTaskScheduledEventAttributes)?.eventTime;
    });
    const at = Number(firstTask.seconds) * 1_000 + (firstTask.nanos ?? 0) / 1e6;
    expect(at).toBeGreaterThanOrEqual(scheduled.getTime());

    const overdue = await temporal.client.workflow.getHandle(execId(itemType, 'overdue')).describe();
    const delay = (overdue.executionTime?.getTime() ?? 0) - overdue.startTime.getTime();
    expect(delay).toBeGreaterThanOrEqual(0);
    expect(delay).toBeLessThanOrEqual(200);
  });

  it('hears within its deadline that Temporal does not answer', async () => {
    const nowhere = connectExecStarter({ address: '127.0.0.1:1', namespace: 'default', deadlineMs: 500 });
    const began = performance.now();
    const outcome = await nowhere.start({
      workflowId: `${testName}-nowhere`,
      workflowType: 'SampleExecWorkflow',
      taskQueue: execTaskQueue,
      args: ['a', '{}'],
      startDelayMs: 0,
    });
    expect(outcome.kind).toBe('unreachable');
    expect(await nowhere.isReachable()).toBe(false);
    expect(await starter.isReachable()).toBe(true);
    expect(performance.now() - began).toBeLessThan(8_000);
    await nowhere.close();
  });

  it('keeps the Schedule of an item type as its config says, and the Schedule dispatches', async () => {
    const itemType = await newItemType({ dispatchIntervalSecs: 60 });
    const schedulePrefix = `${testName}-`;
    const scheduleId = `${schedulePrefix}${itemType.toLowerCase()}`;
    const handle = temporal.client.schedule.getHandle(scheduleId);
    // Each pass is that of a dispatcher that has just started: it remembers nothing.
    const reconcile = () =>
      createReconcileSchedules({
        queue: {
          listConfigs: async () => (await queue.listConfigs()).filter((row) => row.itemType === itemType),
        },
        schedules: createTemporalSchedules(temporal.client),
        clock: { now: () => new Date() },
        log,
        schedulePrefix,
        taskQueue,
      })(stop.signal);
    try {
      await Promise.all([reconcile(), reconcile()]);
      const created = await handle.describe();
      expect(created.spec.intervals).toMatchObject([{ every: 60_000 }]);
      expect(created.policies).toMatchObject({ overlap: 'SKIP', catchupWindow: 10_000 });
      expect(created.action).toMatchObject({
        workflowType: 'DispatcherWorkflow',
        workflowRunTimeout: 180_000,
      });
      await reconcile();
      expect((await handle.describe()).info.lastUpdatedAt).toEqual(created.info.lastUpdatedAt);

      await queue.enqueue([itemOf(itemType, 'a')]);
      await queue.writeConfig({ itemType, config: { ...settings, dispatchIntervalSecs: 1 }, by: 'test' });
      await reconcile();
      expect((await handle.describe()).spec.intervals).toMatchObject([{ every: 1_000 }]);
      await eventually(async () => {
        const found = await queue.findItem(itemType, 'a');
        return found?.row.status === 'DISPATCHED' ? found : undefined;
      });
      const { values } = (await registry.getSingleMetric('dispatch_schedule_lag_seconds')?.get()) ?? {};
      const lag = values?.find(({ labels }) => labels['item_type'] === itemType)?.value;
      // A tick never comes at the very millisecond it was planned for.
      expect(lag).toBeGreaterThan(0);
      expect(lag).toBeLessThan(10);

      await handle.pause('by an operator');
      await queue.writeConfig({ itemType, config: { ...settings, dispatchIntervalSecs: 3 }, by: 'test' });
      await reconcile();
      const paused = await handle.describe();
      expect(paused.spec.intervals).toMatchObject([{ every: 3_000 }]);
      expect(paused.state.paused).toBe(true);
    } finally {
      await handle.delete();
    }
  });
});

async function eventually<T>(look: () => Promise<T | null | undefined>): Promise<T> {
  const deadline = performance.now() + 20_000;
  for (;;) {
    const found = await look();
    if (found !== null && found !== undefined) return found;
    if (performance.now() > deadline) throw new Error('it did not happen within 20 s');
    await sleep(100);
  }
}
