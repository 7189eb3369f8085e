import { createLogger } from '@sluice/service-kit';
import type { ConfigRow, DispatchConfig } from '@sluice/queue-core';
import type { SchedulePlan } from './ports.js';
import { createReconcileSchedules } from './reconcile-schedules.js';

const config: DispatchConfig = {
  enabled: true,
  batchSize: 100,
  dispatchIntervalSecs: 5,
  jitterWindowMs: 0,
  preStartBufferMins: 1,
  maxDispatchRetries: 3,
  staleClaimThresholdMins: 2,
  execWorkflowType: 'SampleWorkflow',
  execTaskQueue: 'sample',
};

const row = (itemType: string, changes: Partial<DispatchConfig> = {}): ConfigRow => ({
  itemType,
  config: { ...config, ...changes },
  updatedAt: new Date(0),
});

function setUp(failing: readonly string[] = []) {
  const state = { rows: [row('INVOICE'), row('ORDER')], now: 0, ensured: [] as SchedulePlan[] };
  const reconcile = createReconcileSchedules({
    queue: { listConfigs: () => Promise.resolve(state.rows) },
    schedules: {
      ensure: (plan) => {
        if (failing.includes(plan.itemType)) return Promise.reject(new Error('away'));
        state.ensured.push(plan);
        return Promise.resolve('created');
      },
    },
    clock: { now: () => new Date(state.now) },
    log: createLogger({ service: 'test', level: 'fatal' }),
    schedulePrefix: 'dispatch-',
    taskQueue: 'dispatch-task-queue',
  });
  return { state, pass: () => reconcile(new AbortController().signal) };
}

describe('reconciling schedules', () => {
  it('keeps one schedule for each config row', async () => {
    const { state, pass } = setUp();
    await pass();
    expect(state.ensured).toEqual([
      {
        scheduleId: 'dispatch-invoice',
        itemType: 'INVOICE',
        intervalSecs: 5,
        taskQueue: 'dispatch-task-queue',
        runTimeoutSecs: 125,
      },
      expect.objectContaining({ scheduleId: 'dispatch-order' }),
    ]);
  });

  it('asks Temporal again only when the interval changes or a minute has passed', async () => {
    const { state, pass } = setUp();
    await pass();
    await pass();
    expect(state.ensured).toHaveLength(2);
    state.rows = [row('INVOICE', { dispatchIntervalSecs: 9 }), row('ORDER', { batchSize: 7 })];
    await pass();
    expect(state.ensured.slice(2)).toEqual([
      expect.objectContaining({ scheduleId: 'dispatch-invoice', intervalSecs: 9 }),
    ]);
    state.now = 60_000;
    await pass();
    expect(state.ensured).toHaveLength(5);
  });

  it('goes on with the other item types when one fails, and then reports it', async () => {
    const { state, pass } = setUp(['INVOICE']);
    await expect(pass()).rejects.toThrow('some dispatch schedules are not up to date');
    expect(state.ensured.map((plan) => plan.itemType)).toEqual(['ORDER']);
  });
});
