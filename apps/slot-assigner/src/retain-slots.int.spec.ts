import { createPgRateConfigStore, createPgSlotStore } from '@sluice/rate-window';
import { createLogger } from '@sluice/service-kit';
import { retentionWorker } from './retain-slots.js';
import { connectTestPool } from './testing/test-pool.js';
import { until } from './testing/until.js';
import { NOON } from './testing/wishes.js';

describe('the retention worker', () => {
  it('removes slots of windows that are past, batch by batch, and leaves those that lie ahead', async () => {
    const pool = connectTestPool(process.env['PG_URL']);
    const slots = createPgSlotStore(pool);
    const configs = createPgRateConfigStore(pool);
    // 250 slots of the present lie in 25 windows of ten milliseconds: over within a moment.
    const draft = { configName: 'brief', maxPerWindow: 10, windowSizeMs: 10, maxDelayMs: 60_000 };
    const outcome = await configs.activate(draft, 'test');
    if (outcome.kind !== 'activated') throw new Error(outcome.kind);
    const present = Array.from({ length: 250 }, (_, index) => `present-${index}`);
    const now = new Date();
    await slots.assign(
      outcome.config,
      present.map((eventId) => ({ eventId, requestedTime: now })),
    );
    await slots.assign(outcome.config, [{ eventId: 'ahead', requestedTime: new Date(NOON) }]);

    const removed = { slot: 0, window: 0 };
    const stop = new AbortController();
    const worker = retentionWorker({
      ...{ configs, slots, log: createLogger({ service: 'test', level: 'fatal' }) },
      settings: { minAgeMs: 0, batchSize: 100 },
      onRemoved: (kind, count) => (removed[kind] += count),
    });
    await until('all windows are over', async () => {
      const { rows } = await pool.query<{ over: boolean }>(
        `select max(window_start) < clock_timestamp() - interval '1 second' as over
           from rate_limit_slot where event_id like 'present-%'`,
      );
      return rows[0]?.over ?? false;
    });
    const working = worker.run(stop.signal, () => undefined);
    try {
      await until('what is past was removed', () => removed.slot >= 250);
      expect(removed.slot).toBe(250);
      expect(await slots.find('brief', 'present-0')).toBeUndefined();
      expect(await slots.find('brief', 'ahead')).toBeDefined();
    } finally {
      stop.abort();
      await working;
      await pool.end();
    }
  });
});
