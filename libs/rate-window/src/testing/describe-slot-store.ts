/// <reference types="jest" />
import type { RateConfig, RateConfigDraft, RateConfigStore, Slot, SlotRequest, SlotStore } from '../ports.js';

export interface SlotStoreHarness {
  readonly slots: SlotStore;
  readonly configs: RateConfigStore;
  close(): Promise<void>;
}

const NOON = Date.parse('2035-06-01T12:00:00Z');
const HOUR = 60 * 60 * 1_000;

/** What every slot store has to do, whatever holds its data. */
export function describeSlotStore(makeHarness: () => Promise<SlotStoreHarness>): void {
  let harness: SlotStoreHarness;
  let configNumber = 0;

  beforeAll(async () => {
    harness = await makeHarness();
  });
  afterAll(() => harness.close());

  const newConfig = (change: Partial<RateConfigDraft> = {}): Promise<RateConfig> => {
    configNumber += 1;
    const configName = `conformance-${configNumber}`;
    return activate({ configName, maxPerWindow: 10, windowSizeMs: 4_000, maxDelayMs: HOUR, ...change });
  };
  const activate = async (draft: RateConfigDraft): Promise<RateConfig> => {
    const outcome = await harness.configs.activate(draft, 'conformance');
    if (outcome.kind !== 'activated') throw new Error(`expected a new version, found ${outcome.kind}`);
    return outcome.config;
  };
  const assign = async (config: RateConfig, requests: readonly SlotRequest[]): Promise<Slot[]> => {
    const outcome = await harness.slots.assign(config, requests);
    if (outcome.kind !== 'answered') throw new Error(`expected answers, found ${outcome.kind}`);
    return outcome.answers.map((answer) => {
      if (answer.kind === 'exhausted') throw new Error(`no slot for ${answer.eventId}`);
      return answer.slot;
    });
  };

  describe('assignment', () => {
    it('fills windows one after the other from the requested one, without a gap', async () => {
      const config = await newConfig();
      const slots = await assign(config, burst(25));
      expect(fill(slots)).toEqual([
        [NOON, 10],
        [NOON + 4_000, 10],
        [NOON + 8_000, 5],
      ]);
    });

    it('gives a group the same slots as its events one by one', async () => {
      const [together, apart] = [await newConfig(), await newConfig()];
      const requests = burst(23, NOON + 1_300);
      const group = await assign(together, requests);
      const single: Slot[] = [];
      for (const request of requests) single.push(...(await assign(apart, [request])));
      expect(group).toEqual(single);
    });

    it('gives the middle of a window only the share of the time that is left', async () => {
      const config = await newConfig();
      const slots = await assign(config, burst(20, NOON + 1_500));
      expect(fill(slots).slice(0, 2)).toEqual([
        [NOON, 6],
        [NOON + 4_000, 10],
      ]);
    });

    it('never places an event before the time it asked for', async () => {
      const config = await newConfig();
      const requests = [3_999, 1, 2_000, 3_000, 0, 1_000].flatMap((ms) => burst(4, NOON + ms, `at-${ms}`));
      for (const slot of await assign(config, requests)) {
        expect(slot.scheduledTime.getTime()).toBeGreaterThanOrEqual(slot.requestedTime.getTime());
      }
    });

    it('uses the numbers that later requests passed over for earlier ones', async () => {
      const config = await newConfig();
      await assign(config, burst(4, NOON + 2_000, 'late'));
      const slots = await assign(config, burst(6, NOON, 'early'));
      expect(fill(slots)).toEqual([[NOON, 6]]);
    });

    it('takes a window that nobody has touched between full ones', async () => {
      const config = await newConfig();
      await assign(config, burst(10, NOON, 'a'));
      await assign(config, burst(10, NOON + 8_000, 'b'));
      const slots = await assign(config, burst(11, NOON, 'c'));
      expect(fill(slots)).toEqual([
        [NOON + 4_000, 10],
        [NOON + 12_000, 1],
      ]);
    });

    it('keeps the windows of two configs apart', async () => {
      const [one, other] = [await newConfig(), await newConfig({ windowSizeMs: 2_000 })];
      await assign(one, burst(10));
      expect(fill(await assign(other, burst(10)))).toEqual([[NOON, 10]]);
    });
  });

  describe('idempotency', () => {
    it('answers a repeated event with its first slot, also for another requested time', async () => {
      const config = await newConfig();
      const [first] = await assign(config, burst(1));
      const outcome = await harness.slots.assign(config, burst(1, NOON + HOUR));
      expect(outcome).toEqual({ kind: 'answered', answers: [{ kind: 'existing', slot: first }] });
    });

    it('gives an event that is in a group twice one slot', async () => {
      const config = await newConfig();
      const [request] = burst(1);
      const outcome = await harness.slots.assign(config, [request!, request!]);
      expect(outcome.kind === 'answered' && outcome.answers.map(({ kind }) => kind)).toEqual([
        'assigned',
        'existing',
      ]);
    });

    it('lets the same event have a slot under each config', async () => {
      const [one, other] = [await newConfig(), await newConfig()];
      await assign(one, burst(1));
      const outcome = await harness.slots.assign(other, burst(1));
      expect(outcome).toMatchObject({ answers: [{ kind: 'assigned' }] });
    });

    it('finds the slot of an event, and none for a stranger', async () => {
      const config = await newConfig();
      const [slot] = await assign(config, burst(1));
      expect(await harness.slots.find(config.configName, slot!.eventId)).toEqual(slot);
      expect(await harness.slots.find(config.configName, 'stranger')).toBeUndefined();
    });

    it('answers an empty group with no answers', async () => {
      expect(await harness.slots.assign(await newConfig(), [])).toEqual({ kind: 'answered', answers: [] });
    });
  });

  describe('horizon', () => {
    it('refuses what would lie later than the horizon, and answers the rest', async () => {
      const config = await newConfig({ maxDelayMs: 7_999 });
      const outcome = await harness.slots.assign(config, burst(22));
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
      const config = await newConfig({ maxDelayMs: 0 });
      await harness.slots.assign(config, burst(2));
      expect(await harness.slots.find(config.configName, 'event-1')).toBeUndefined();
      const wider = await activate({ ...config, maxDelayMs: HOUR });
      const [slot] = await assign(wider, [{ eventId: 'event-1', requestedTime: new Date(NOON) }]);
      expect(slot).toMatchObject({ windowStart: new Date(NOON), slotNo: 1 });
    });

    it('keeps to the horizon inside the last window', async () => {
      const config = await newConfig({ maxDelayMs: 5_000 });
      const outcome = await harness.slots.assign(config, burst(30));
      if (outcome.kind !== 'answered') throw new Error('expected answers');
      const delays = outcome.answers.flatMap((answer) =>
        answer.kind === 'assigned' ? [answer.slot.scheduledTime.getTime() - NOON] : [],
      );
      expect(delays).toHaveLength(13);
      expect(Math.max(...delays)).toBeLessThanOrEqual(5_000);
    });
  });

  describe('versions of a config', () => {
    it('counts versions and lists the active one only', async () => {
      const config = await newConfig();
      const next = await activate({ ...config, maxPerWindow: 20 });
      expect([config.version, next.version]).toEqual([1, 2]);
      expect(await harness.configs.findActive(config.configName)).toEqual(next);
      expect(await harness.configs.listActive()).toContainEqual(next);
      expect(await harness.configs.listActive()).not.toContainEqual(config);
    });

    it('makes no version of a change that changes nothing', async () => {
      const config = await newConfig();
      expect(await harness.configs.activate(config, 'again')).toEqual({ kind: 'unchanged', config });
    });

    it('knows nothing of a name that was never set', async () => {
      expect(await harness.configs.findActive('never-set')).toBeUndefined();
    });

    it('assigns nothing under a version that is no longer active', async () => {
      const config = await newConfig();
      await activate({ ...config, maxPerWindow: 20 });
      expect(await harness.slots.assign(config, burst(1))).toEqual({ kind: 'config-changed' });
      expect(await harness.slots.find(config.configName, 'event-0')).toBeUndefined();
    });

    it('opens full windows again when the capacity is raised', async () => {
      const config = await newConfig();
      await assign(config, burst(20, NOON, 'before'));
      const raised = await activate({ ...config, maxPerWindow: 15 });
      expect(fill(await assign(raised, burst(11, NOON, 'after')))).toEqual([
        [NOON, 5],
        [NOON + 4_000, 5],
        [NOON + 8_000, 1],
      ]);
    });

    it('closes windows that hold more than a lowered capacity, and moves no slot', async () => {
      const config = await newConfig();
      const before = await assign(config, burst(16, NOON, 'before'));
      const lowered = await activate({ ...config, maxPerWindow: 6 });
      expect(fill(await assign(lowered, burst(7, NOON, 'after')))).toEqual([
        [NOON + 8_000, 6],
        [NOON + 12_000, 1],
      ]);
      expect(await assign(lowered, burst(16, NOON, 'before'))).toEqual(before);
    });

    it('fills a window again whose capacity went down and up', async () => {
      const config = await newConfig();
      await assign(config, burst(5, NOON + 2_000, 'first'));
      const lowered = await activate({ ...config, maxPerWindow: 7 });
      expect(fill(await assign(lowered, burst(3, NOON, 'second')))).toEqual([
        [NOON, 2],
        [NOON + 4_000, 1],
      ]);
      const raised = await activate({ ...config, maxPerWindow: 12 });
      expect(fill(await assign(raised, burst(5, NOON, 'third')))).toEqual([[NOON, 5]]);
    });

    it('refuses another window size while slots lie ahead', async () => {
      const config = await newConfig();
      await assign(config, burst(11));
      expect(await harness.configs.activate({ ...config, windowSizeMs: 2_000 }, 'conformance')).toEqual({
        kind: 'window-size-in-use',
        lastWindowEnd: new Date(NOON + 8_000),
      });
    });

    it('takes another window size when all slots are past', async () => {
      const config = await newConfig();
      await assign(config, burst(10, Date.parse('2020-01-01T00:00:00Z')));
      const resized = await activate({ ...config, windowSizeMs: 2_000 });
      expect(fill(await assign(resized, burst(1, NOON, 'new')))).toEqual([[NOON, 1]]);
    });
  });
}

/** Requests of distinct events for one instant. */
export function burst(count: number, at: number = NOON, prefix = 'event'): SlotRequest[] {
  return Array.from({ length: count }, (_, index) => ({
    eventId: `${prefix}-${index}`,
    requestedTime: new Date(at),
  }));
}

/** How many of the slots lie in each window, by window. */
export function fill(slots: readonly Slot[]): [windowStart: number, count: number][] {
  const counts = new Map<number, number>();
  for (const { windowStart } of slots) {
    counts.set(windowStart.getTime(), (counts.get(windowStart.getTime()) ?? 0) + 1);
  }
  return [...counts].sort(([a], [b]) => a - b);
}
