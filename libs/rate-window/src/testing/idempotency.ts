/// <reference types="jest" />
import { HOUR, NOON, assignAll, burst, newConfig, only } from './harness.js';
import type { CurrentHarness } from './harness.js';

export function describeIdempotency(harness: CurrentHarness): void {
  describe('idempotency', () => {
    it('answers a repeated event with its first slot, also for another requested time', async () => {
      const store = harness().open();
      const config = await newConfig(store);
      const first = only(await assignAll(store, config, burst(1)));
      expect(await store.assign(config, burst(1, NOON + HOUR))).toMatchObject({
        kind: 'answered',
        answers: [{ kind: 'existing', slot: first }],
      });
    });

    it('answers known and new events of one group each in its place', async () => {
      const store = harness().open();
      const config = await newConfig(store);
      const [a, b] = await assignAll(store, config, burst(2));
      const outcome = await store.assign(config, [...burst(2), ...burst(2, NOON, 'new')].toReversed());
      expect(outcome).toMatchObject({
        answers: [
          { kind: 'assigned', slot: { eventId: 'new-1' } },
          { kind: 'assigned', slot: { eventId: 'new-0' } },
          { kind: 'existing', slot: b },
          { kind: 'existing', slot: a },
        ],
      });
    });

    it('gives an event that is in a group twice one slot', async () => {
      const store = harness().open();
      const request = only(burst(1));
      const outcome = await store.assign(await newConfig(store), [request, request]);
      expect(outcome).toMatchObject({ answers: [{ kind: 'assigned' }, { kind: 'existing' }] });
    });

    it('lets the same event have a slot under each config', async () => {
      const store = harness().open();
      const [one, other] = [await newConfig(store), await newConfig(store)];
      await assignAll(store, one, burst(1));
      expect(await store.assign(other, burst(1))).toMatchObject({ answers: [{ kind: 'assigned' }] });
    });

    it('finds the slot of an event, and none for a stranger', async () => {
      const store = harness().open();
      const config = await newConfig(store);
      const slot = only(await assignAll(store, config, burst(1)));
      expect(await store.find(config.configName, slot.eventId)).toEqual(slot);
      expect(await store.find(config.configName, 'stranger')).toBeUndefined();
    });

    it('answers an empty group with no answers', async () => {
      const store = harness().open();
      expect(await store.assign(await newConfig(store), [])).toEqual({
        kind: 'answered',
        answers: [],
        windowsSearched: 0,
      });
    });

    it('gives one slot to an event that several nodes ask for at the same time', async () => {
      const nodes = Array.from({ length: 4 }, () => harness().open());
      const config = await newConfig(harness().open());
      const answers = await Promise.all(nodes.map((node) => assignAll(node, config, burst(30))));
      for (const other of answers) expect(other).toEqual(answers[0]);
    });
  });
}
