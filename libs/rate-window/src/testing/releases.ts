/// <reference types="jest" />
import { NOON, activate, assignAll, burst, fill, newConfig, only } from './harness.js';
import type { CurrentHarness } from './harness.js';

export function describeReleases(harness: CurrentHarness): void {
  describe('a slot that is given back', () => {
    it('goes to the next event that fits, number and all', async () => {
      const store = harness().open();
      const config = await newConfig(store);
      const slots = await assignAll(store, config, burst(30));
      const freed = slots[14];
      expect(await store.release(config.configName, 'event-14')).toEqual({ kind: 'released', slot: freed });
      const next = only(await assignAll(store, config, burst(1, NOON, 'next')));
      expect(next).toEqual({ ...freed, eventId: 'next-0' });
      const after = only(await assignAll(store, config, burst(1, NOON, 'after')));
      expect(after.windowStart).toEqual(new Date(NOON + 12_000));
    });

    it('is gone: its event is a stranger and may ask again', async () => {
      const store = harness().open();
      const config = await newConfig(store);
      await assignAll(store, config, burst(1));
      await store.release(config.configName, 'event-0');
      expect(await store.find(config.configName, 'event-0')).toBeUndefined();
      expect(await store.assign(config, burst(1, NOON + 4_000))).toMatchObject({
        answers: [{ kind: 'assigned', slot: { windowStart: new Date(NOON + 4_000) } }],
      });
    });

    it('is given back once, however often that is asked', async () => {
      const store = harness().open();
      const config = await newConfig(store);
      await assignAll(store, config, burst(20));
      await store.release(config.configName, 'event-3');
      expect(await store.release(config.configName, 'event-3')).toEqual({ kind: 'not-found' });
      expect(fill(await assignAll(store, config, burst(2, NOON, 'next')))).toEqual([
        [NOON, 1],
        [NOON + 8_000, 1],
      ]);
    });

    it('stays when its time has come', async () => {
      let now = NOON - 1;
      const store = harness().open({ now: () => new Date(now) });
      const config = await newConfig(store);
      const slot = only(await assignAll(store, config, burst(1)));
      now = slot.scheduledTime.getTime();
      expect(await store.release(config.configName, 'event-0')).toEqual({ kind: 'past', slot });
      expect(await store.find(config.configName, 'event-0')).toEqual(slot);
    });

    it('opens no window that holds more than a lowered capacity', async () => {
      const store = harness().open();
      const config = await newConfig(store);
      await assignAll(store, config, burst(10));
      const lowered = await activate(store, { ...config, maxPerWindow: 5 });
      await store.release(config.configName, 'event-0');
      const next = only(await assignAll(store, lowered, burst(1, NOON, 'next')));
      expect(next.windowStart).toEqual(new Date(NOON + 4_000));
    });

    it('makes room in every window of a long run, first to last', async () => {
      const store = harness().open();
      const config = await newConfig(store);
      await assignAll(store, config, burst(200));
      for (const event of [155, 45, 199, 0]) await store.release(config.configName, `event-${event}`);
      const slots = await assignAll(store, config, burst(5, NOON, 'next'));
      expect(fill(slots).map(([start]) => (start - NOON) / 4_000)).toEqual([0, 4, 15, 19, 20]);
    });

    it('is unknown under a name that was never set', async () => {
      expect(await harness().open().release('never-set', 'event-0')).toEqual({ kind: 'not-found' });
    });
  });
}
