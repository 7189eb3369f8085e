/// <reference types="jest" />
import type { Slot } from '../ports.js';
import { NOON, assignAll, burst, fill, newConfig, only } from './harness.js';
import type { CurrentHarness } from './harness.js';

export function describeAssignment(harness: CurrentHarness): void {
  describe('assignment', () => {
    it('fills windows one after the other from the requested one, without a gap', async () => {
      const store = harness().open();
      const slots = await assignAll(store, await newConfig(store), burst(25));
      expect(fill(slots)).toEqual([
        [NOON, 10],
        [NOON + 4_000, 10],
        [NOON + 8_000, 5],
      ]);
    });

    it('gives a group the same slots as its events one by one', async () => {
      const store = harness().open();
      const [together, apart] = [await newConfig(store), await newConfig(store)];
      const requests = burst(23, NOON + 1_300);
      const group = await assignAll(store, together, requests);
      const single: Slot[] = [];
      for (const request of requests) single.push(...(await assignAll(store, apart, [request])));
      expect(group).toEqual(single);
    });

    it('serves the events of a group by their times, and answers in their order', async () => {
      const store = harness().open();
      const config = await newConfig(store, { maxPerWindow: 1 });
      const slots = await assignAll(store, config, [
        ...burst(1, NOON + 4_000, 'later'),
        ...burst(2, NOON, 'sooner'),
      ]);
      expect(slots.map(({ eventId, windowStart }) => [eventId, windowStart.getTime()])).toEqual([
        ['later-0', NOON + 8_000],
        ['sooner-0', NOON],
        ['sooner-1', NOON + 4_000],
      ]);
    });

    it('gives the middle of a window only the share of the time that is left', async () => {
      const store = harness().open();
      const slots = await assignAll(store, await newConfig(store), burst(20, NOON + 1_500));
      expect(fill(slots).slice(0, 2)).toEqual([
        [NOON, 6],
        [NOON + 4_000, 10],
      ]);
    });

    it.each(['even', 'random'] as const)(
      'never places an event before the time it asked for, with %s spread',
      async (spread) => {
        const store = harness().open();
        const config = await newConfig(store, { spread });
        const requests = [3_999, 1, 2_000, 3_000, 0, 1_000].flatMap((ms) => burst(4, NOON + ms, `at-${ms}`));
        for (const slot of await assignAll(store, config, requests)) {
          expect(slot.scheduledTime.getTime()).toBeGreaterThanOrEqual(slot.requestedTime.getTime());
          expect(slot.scheduledTime.getTime()).toBeLessThan(slot.windowStart.getTime() + 4_000);
        }
      },
    );

    it('counts a time that is past as the present', async () => {
      const store = harness().open({ now: () => new Date(NOON + 2_000) });
      const config = await newConfig(store);
      const slots = await assignAll(store, config, burst(8, NOON - 60_000));
      expect(fill(slots)).toEqual([
        [NOON, 5],
        [NOON + 4_000, 3],
      ]);
      for (const slot of slots) {
        expect(slot.scheduledTime.getTime()).toBeGreaterThanOrEqual(NOON + 2_000);
        expect(slot.requestedTime).toEqual(new Date(NOON - 60_000));
      }
    });

    it('places nothing before the present by the clock of the store', async () => {
      const store = harness().open();
      const before = Date.now();
      const slot = only(await assignAll(store, await newConfig(store), burst(1, before - 60_000)));
      // The clock of a server elsewhere may be a little behind ours.
      expect(slot.scheduledTime.getTime()).toBeGreaterThan(before - 30_000);
    });

    it('uses the numbers that later requests passed over for earlier ones', async () => {
      const store = harness().open();
      const config = await newConfig(store);
      await assignAll(store, config, burst(4, NOON + 2_000, 'late'));
      const slots = await assignAll(store, config, burst(6, NOON, 'early'));
      expect(fill(slots)).toEqual([[NOON, 6]]);
    });

    it('takes a window that nobody has touched between full ones', async () => {
      const store = harness().open();
      const config = await newConfig(store);
      await assignAll(store, config, burst(10, NOON, 'a'));
      await assignAll(store, config, burst(10, NOON + 8_000, 'b'));
      const slots = await assignAll(store, config, burst(11, NOON, 'c'));
      expect(fill(slots)).toEqual([
        [NOON + 4_000, 10],
        [NOON + 12_000, 1],
      ]);
    });

    it('keeps the windows of two configs apart', async () => {
      const store = harness().open();
      const [one, other] = [await newConfig(store), await newConfig(store, { windowSizeMs: 2_000 })];
      await assignAll(store, one, burst(10));
      expect(fill(await assignAll(store, other, burst(10)))).toEqual([[NOON, 10]]);
    });

    it('gives a thousand events with a thousand times each the window it asked for', async () => {
      const store = harness().open();
      const config = await newConfig(store);
      const requests = burst(1_000).map(({ eventId }, index) => ({
        eventId,
        requestedTime: new Date(NOON + index * 4_000 + (index % 3_000)),
      }));
      const slots = await assignAll(store, config, requests);
      expect(slots.map(({ windowStart }) => windowStart.getTime())).toEqual(
        requests.map((_, index) => NOON + index * 4_000),
      );
    });

    it('spreads by chance where it is told to, the same way for the same event', async () => {
      const store = harness().open();
      const [one, other] = [
        await newConfig(store, { spread: 'random', maxPerWindow: 100 }),
        await newConfig(store, { maxPerWindow: 100 }),
      ];
      const times = (await assignAll(store, one, burst(100))).map((slot) => slot.scheduledTime.getTime());
      const even = (await assignAll(store, other, burst(100))).map((slot) => slot.scheduledTime.getTime());
      expect(times).not.toEqual(even);
      expect(new Set(times.map((time) => Math.floor((time - NOON) / 1_000)))).toEqual(new Set([0, 1, 2, 3]));
    });
  });
}
