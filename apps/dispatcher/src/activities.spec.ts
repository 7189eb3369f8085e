import { Registry } from 'prom-client';
import type { ConfigRow } from '@sluice/queue-core';
import { createDispatcherActivities } from './activities.js';
import { createMetrics } from './metrics.js';

function setUp(row: ConfigRow | null) {
  const registry = new Registry();
  const recorded: unknown[] = [];
  const activities = createDispatcherActivities({
    queue: {
      readConfig: async () => row,
      recordCycle: async (cycle) => {
        recorded.push(cycle);
      },
    },
    dispatchBatch: () => Promise.reject(new Error('not in this test')),
    metrics: createMetrics(registry),
    clock: { now: () => new Date('2026-05-01T16:00:02.500Z') },
  });
  const lag = async () => {
    const { values } = (await registry.getSingleMetric('dispatch_schedule_lag_seconds')?.get()) ?? {};
    return values?.[0]?.value;
  };
  return { activities, lag, registry, recorded };
}

const row = {
  itemType: 'SAMPLE',
  config: { enabled: true, dispatchIntervalSecs: 5, batchSize: 9 },
} as ConfigRow;

describe('the activities of a cycle', () => {
  it('give the workflow only what it needs of the config', async () => {
    const { activities } = setUp(row);
    expect(await activities.readDispatchConfig('SAMPLE', null)).toEqual({
      enabled: true,
      dispatchIntervalSecs: 5,
    });
  });

  it('measure how late a tick was', async () => {
    const { activities, lag, registry } = setUp(row);
    await activities.readDispatchConfig('SAMPLE', '2026-05-01T16:00:00.000Z');
    expect(await lag()).toBe(2.5);
    await activities.readDispatchConfig('SAMPLE', '2026-05-01T16:00:09.000Z');
    expect(await lag()).toBe(0);
    const text = await registry.getSingleMetricAsString('dispatch_last_cycle_timestamp_seconds');
    expect(text).toContain(`{item_type="SAMPLE"} ${Date.parse('2026-05-01T16:00:02.500Z') / 1000}`);
  });

  it('count nothing under an item type that does not exist', async () => {
    const { activities, lag } = setUp(null);
    expect(await activities.readDispatchConfig('NOBODY', '2026-05-01T16:00:00.000Z')).toBeNull();
    expect(await lag()).toBeUndefined();
  });

  it('write down how a cycle ended', async () => {
    const { activities, recorded } = setUp(row);
    await activities.recordResults('SAMPLE', 'BATCH-1', { claimed: 3 } as never);
    expect(recorded).toEqual([{ itemType: 'SAMPLE', batchId: 'BATCH-1', detail: '{"claimed":3}' }]);
  });
});
