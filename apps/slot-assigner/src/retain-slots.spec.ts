import type { RateConfig } from './ports.js';
import { createRetainSlots } from './retain-slots.js';

function setUp(batches: Readonly<Record<string, { slots: number; more: boolean }[]>>) {
  const calls: string[] = [];
  const removed = { slot: 0, window: 0 };
  const controller = new AbortController();
  const retain = createRetainSlots({
    configs: {
      listActive: async () => Object.keys(batches).map((configName) => ({ configName }) as RateConfig),
    },
    slots: {
      prune: async ({ configName, minAgeMs, limit }) => {
        calls.push(`${configName} ${minAgeMs} ${limit}`);
        return { windows: 1, ...(batches[configName]?.shift() ?? { slots: 0, more: false }) };
      },
    },
    settings: { minAgeMs: 3_600_000, batchSize: 100 },
    onRemoved: (kind, count) => (removed[kind] += count),
  });
  return { retain: () => retain(controller.signal), calls, removed, controller };
}

describe('retention', () => {
  it('removes one batch of each rate limit by its age', async () => {
    const { retain, calls, removed } = setUp({
      payments: [{ slots: 40, more: false }],
      payouts: [{ slots: 2, more: false }],
    });
    expect(await retain()).toBe(false);
    expect(calls).toEqual(['payments 3600000 100', 'payouts 3600000 100']);
    expect(removed).toEqual({ slot: 42, window: 2 });
  });

  it('has more to do as long as one rate limit has', async () => {
    const { retain } = setUp({
      payments: [
        { slots: 100, more: true },
        { slots: 3, more: false },
      ],
      payouts: [],
    });
    expect([await retain(), await retain()]).toEqual([true, false]);
  });

  it('stops between two batches when it is told to', async () => {
    const { retain, calls, controller } = setUp({ payments: [{ slots: 100, more: true }] });
    controller.abort();
    expect(await retain()).toBe(false);
    expect(calls).toEqual([]);
  });
});
