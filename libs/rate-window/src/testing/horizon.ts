/// <reference types="jest" />
import { HOUR, NOON, activate, assignAll, burst, newConfig, only } from './harness.js';
import type { CurrentHarness } from './harness.js';

export function describeHorizon(harness: CurrentHarness): void {
  describe('horizon', () => {
    it('refuses what would lie later than the horizon, and answers the rest', async () => {
      const store = harness().open();
      const outcome = await store.assign(await newConfig(store, { maxDelayMs: 7_999 }), burst(22));
      if (outcome.kind !== 'answered') throw new Error('expected answers');
      expect(outcome.answers.slice(0, 20).every(({ kind }) => kind === 'assigned')).toBe(true);
      expect(outcome.answers.slice(20)).toEqual(
        ['event-20', 'event-21'].map((eventId) => ({
          kind: 'exhausted',
          eventId,
          horizon: new Date(NOON + 7_999),
        })),
      );
    });

    it('leaves no trace of a refused event', async () => {
      const store = harness().open();
      const config = await newConfig(store, { maxDelayMs: 0 });
      await store.assign(config, burst(2));
      expect(await store.find(config.configName, 'event-1')).toBeUndefined();
      const wider = await activate(store, { ...config, maxDelayMs: HOUR });
      const slot = only(await assignAll(store, wider, burst(2).slice(1)));
      expect(slot).toMatchObject({ windowStart: new Date(NOON), slotNo: 1 });
    });

    it('keeps to the horizon inside the last window', async () => {
      const store = harness().open();
      const outcome = await store.assign(await newConfig(store, { maxDelayMs: 5_000 }), burst(30));
      if (outcome.kind !== 'answered') throw new Error('expected answers');
      const delays = outcome.answers.flatMap((answer) =>
        answer.kind === 'assigned' ? [answer.slot.scheduledTime.getTime() - NOON] : [],
      );
      expect(delays).toHaveLength(13);
      expect(Math.max(...delays)).toBeLessThanOrEqual(5_000);
    });

    it('measures the horizon of a time that is past from the present', async () => {
      const store = harness().open({ now: () => new Date(NOON) });
      const config = await newConfig(store, { maxDelayMs: 3_999 });
      const outcome = await store.assign(config, burst(11, NOON - HOUR));
      expect(outcome).toMatchObject({
        answers: { 10: { kind: 'exhausted', horizon: new Date(NOON + 3_999) } },
      });
    });
  });
}
