/// <reference types="jest" />
import { DAY, HOUR, NOON, assignAll, burst, newConfig } from './harness.js';
import type { CurrentHarness } from './harness.js';

export function describeViews(harness: CurrentHarness): void {
  describe('what can be seen of the windows', () => {
    it('lists the windows in use of a range, a page at a time', async () => {
      const store = harness().open();
      const config = await newConfig(store);
      await assignAll(store, config, burst(25));
      const range = { from: new Date(NOON), until: new Date(NOON + HOUR), limit: 2 };
      const window = (index: number, taken: number) => ({
        windowStart: new Date(NOON + index * 4_000),
        windowEnd: new Date(NOON + (index + 1) * 4_000),
        taken,
        capacity: 10,
      });
      const page = await store.listWindows(config, range);
      expect(page).toEqual({ windows: [window(0, 10), window(1, 10)], next: new Date(NOON + 8_000) });
      expect(await store.listWindows(config, { ...range, from: new Date(NOON + 8_000) })).toEqual({
        windows: [window(2, 5)],
        next: null,
      });
      const before = { ...range, from: new Date(NOON + 4_000), until: new Date(NOON + 8_000) };
      expect(await store.listWindows(config, before)).toEqual({ windows: [window(1, 10)], next: null });
    });

    it('lists no window whose slots were all given back', async () => {
      const store = harness().open();
      const config = await newConfig(store);
      await assignAll(store, config, burst(1));
      await store.release(config.configName, 'event-0');
      const range = { from: new Date(NOON), until: new Date(NOON + HOUR), limit: 10 };
      expect(await store.listWindows(config, range)).toEqual({ windows: [], next: null });
    });

    it('measures the present window and how far ahead slots lie', async () => {
      const now = new Date(NOON + 1_000);
      const store = harness().open({ now: () => now });
      const config = await newConfig(store);
      const currentWindow = {
        windowStart: new Date(NOON),
        windowEnd: new Date(NOON + 4_000),
        taken: 0,
        capacity: 10,
      };
      expect(await store.measure(config)).toEqual({ now, currentWindow, furthestWindow: null });
      await assignAll(store, config, burst(3, NOON + HOUR));
      await assignAll(store, config, burst(2, NOON + 1_000, 'present'));
      expect(await store.measure(config)).toEqual({
        now,
        currentWindow: { ...currentWindow, taken: 2 },
        furthestWindow: new Date(NOON + HOUR),
      });
    });
  });

  describe('retention', () => {
    it('removes slots of windows that are long past, a few at a time, and keeps the rest', async () => {
      let now = NOON;
      const store = harness().open({ now: () => new Date(now) });
      const config = await newConfig(store);
      await assignAll(store, config, burst(25));
      const prune = () => store.prune({ configName: config.configName, minAgeMs: DAY, limit: 15 });
      now = NOON + DAY + 8_000 - 1;
      expect(await prune()).toEqual({ slots: 10, windows: 1, more: false });
      now = NOON + DAY + 12_000;
      expect(await prune()).toEqual({ slots: 15, windows: 2, more: true });
      expect(await prune()).toEqual({ slots: 0, windows: 0, more: false });
      expect(await store.find(config.configName, 'event-0')).toBeUndefined();
    });

    it('leaves what is not old enough, and the other configs, alone', async () => {
      const store = harness().open({ now: () => new Date(NOON + HOUR) });
      const early = harness().open({ now: () => new Date(NOON) });
      const [config, other] = [await newConfig(early), await newConfig(early)];
      for (const one of [config, other]) await assignAll(early, one, burst(3));
      expect(await store.prune({ configName: config.configName, minAgeMs: DAY, limit: 10 })).toMatchObject({
        slots: 0,
      });
      await store.prune({ configName: config.configName, minAgeMs: 0, limit: 10 });
      expect(await store.find(config.configName, 'event-0')).toBeUndefined();
      expect(await store.find(other.configName, 'event-0')).toBeDefined();
    });
  });
}
