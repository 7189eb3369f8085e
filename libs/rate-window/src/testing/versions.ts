/// <reference types="jest" />
import { HOUR, NOON, activate, assignAll, burst, fill, newConfig, newDraft } from './harness.js';
import type { CurrentHarness } from './harness.js';

export function describeVersions(harness: CurrentHarness): void {
  describe('versions of a config', () => {
    it('counts versions and lists the active one only', async () => {
      const store = harness().open();
      const config = await newConfig(store);
      const next = await activate(store, { ...config, maxPerWindow: 20 });
      expect([config.version, next.version]).toEqual([1, 2]);
      expect(await store.findActive(config.configName)).toEqual(next);
      expect(await store.listActive()).toContainEqual(next);
      expect(await store.listActive()).not.toContainEqual(config);
    });

    it('keeps everything that was stated', async () => {
      const store = harness().open();
      const draft = newDraft({
        spread: 'random',
        calendar: { timeZone: 'Europe/Berlin', hours: { monday: [{ from: '09:00', until: '17:00' }] } },
        maxDelayMs: 30 * 24 * HOUR,
      });
      await activate(store, draft);
      expect(await store.findActive(draft.configName)).toEqual({ ...draft, version: 1 });
    });

    it('makes no version of a change that changes nothing', async () => {
      const store = harness().open();
      const config = await newConfig(store, { calendar: { timeZone: 'UTC', holidays: ['2035-12-25'] } });
      expect(await store.activate(config, 'again')).toEqual({ kind: 'unchanged', config });
    });

    it('knows nothing of a name that was never set', async () => {
      expect(await harness().open().findActive('never-set')).toBeUndefined();
    });

    it('assigns nothing under a version that is no longer active, or under a name that was never set', async () => {
      const store = harness().open();
      const config = await newConfig(store);
      await activate(store, { ...config, maxPerWindow: 20 });
      expect(await store.assign(config, burst(1))).toEqual({ kind: 'config-changed' });
      expect(await store.find(config.configName, 'event-0')).toBeUndefined();
      expect(await store.assign({ ...config, configName: 'never-set' }, burst(1))).toEqual({
        kind: 'config-changed',
      });
    });

    it('opens full windows again when the capacity is raised', async () => {
      const store = harness().open();
      const config = await newConfig(store);
      await assignAll(store, config, burst(20, NOON, 'before'));
      const raised = await activate(store, { ...config, maxPerWindow: 15 });
      expect(fill(await assignAll(store, raised, burst(11, NOON, 'after')))).toEqual([
        [NOON, 5],
        [NOON + 4_000, 5],
        [NOON + 8_000, 1],
      ]);
    });

    it('closes windows that hold more than a lowered capacity, and moves no slot', async () => {
      const store = harness().open();
      const config = await newConfig(store);
      const before = await assignAll(store, config, burst(16, NOON, 'before'));
      const lowered = await activate(store, { ...config, maxPerWindow: 6 });
      expect(fill(await assignAll(store, lowered, burst(7, NOON, 'after')))).toEqual([
        [NOON + 8_000, 6],
        [NOON + 12_000, 1],
      ]);
      expect(await assignAll(store, lowered, burst(16, NOON, 'before'))).toEqual(before);
    });

    it('fills a window again whose capacity went down and up', async () => {
      const store = harness().open();
      const config = await newConfig(store);
      await assignAll(store, config, burst(5, NOON + 2_000, 'first'));
      const lowered = await activate(store, { ...config, maxPerWindow: 7 });
      expect(fill(await assignAll(store, lowered, burst(3, NOON, 'second')))).toEqual([
        [NOON, 2],
        [NOON + 4_000, 1],
      ]);
      const raised = await activate(store, { ...config, maxPerWindow: 12 });
      expect(fill(await assignAll(store, raised, burst(5, NOON, 'third')))).toEqual([[NOON, 5]]);
    });

    it('refuses another window size while slots lie ahead', async () => {
      const store = harness().open();
      const config = await newConfig(store);
      await assignAll(store, config, burst(11));
      expect(await store.activate({ ...config, windowSizeMs: 2_000 }, 'conformance')).toEqual({
        kind: 'window-size-in-use',
        lastWindowEnd: new Date(NOON + 8_000),
      });
      expect(await store.findActive(config.configName)).toEqual(config);
    });

    it('takes another window size as soon as the last window with slots is over', async () => {
      let now = NOON;
      const store = harness().open({ now: () => new Date(now) });
      const config = await newConfig(store);
      await assignAll(store, config, burst(11));
      now = NOON + 8_000 - 1;
      expect(await store.activate({ ...config, windowSizeMs: 2_000 }, 'x')).toMatchObject({
        kind: 'window-size-in-use',
      });
      now = NOON + 8_000;
      const resized = await activate(store, { ...config, windowSizeMs: 2_000 });
      expect(fill(await assignAll(store, resized, burst(11, NOON, 'new')))).toEqual([
        [NOON + 8_000, 10],
        [NOON + 10_000, 1],
      ]);
    });

    it('takes another window size when the slots ahead were given back', async () => {
      const store = harness().open();
      const config = await newConfig(store);
      for (const slot of await assignAll(store, config, burst(2))) {
        await store.release(config.configName, slot.eventId);
      }
      await activate(store, { ...config, windowSizeMs: 2_000 });
    });
  });
}
