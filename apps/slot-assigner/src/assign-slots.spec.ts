import { SlotStoreRefusedError } from '@sluice/rate-window';
import { burst, createMemoryStore } from '@sluice/rate-window/testing';
import { createAssignSlots } from './assign-slots.js';
import { cacheConfigs } from './cache-configs.js';
import type { Observer, SlotRequest, SlotStore } from './ports.js';

const NOON = Date.parse('2035-06-01T12:00:00Z');
const open = new AbortController().signal;
const draft = { configName: 'payments', maxPerWindow: 10, windowSizeMs: 4_000, maxDelayMs: 7_999 };

describe('assigning slots', () => {
  it('places requests that come at the same time in one group', async () => {
    const { assign, groups } = await makeAssigner();
    const answers = await Promise.all(burst(50, NOON).map((request) => assign([request])));
    expect(answers.every(({ kind }) => kind === 'answered')).toBe(true);
    expect(groups).toEqual([50]);
  });

  it('places events under a new version although it remembers the old one', async () => {
    const { assign, store, counted } = await makeAssigner();
    await assign(burst(10, NOON, 'before'));
    await store.activate({ ...draft, maxPerWindow: 20 }, 'ops');
    const assignment = await assign(burst(10, NOON, 'after'));
    if (assignment.kind !== 'answered') throw new Error(assignment.kind);
    const windows = assignment.answers.map(
      (answer) => answer.kind === 'assigned' && answer.slot.windowStart.getTime(),
    );
    expect(new Set(windows)).toEqual(new Set([NOON]));
    expect(counted).toEqual({ assigned: 20, stale: 1 });
  });

  it('counts what it answered', async () => {
    const { assign, counted } = await makeAssigner();
    await assign([...burst(21, NOON), ...burst(2, NOON)]);
    await assign(burst(3, NOON), { configName: 'nothing' });
    expect(counted).toEqual({ assigned: 20, existing: 2, exhausted: 1, unknown_config: 3 });
  });

  it('makes no group for a config that does not exist', async () => {
    const { assign, groups } = await makeAssigner();
    expect(await assign(burst(1, NOON), { configName: 'nothing' })).toEqual({ kind: 'unknown-config' });
    expect(groups).toEqual([]);
  });

  it('refuses events past the limit of its queue', async () => {
    const { assign, counted } = await makeAssigner();
    const answers = await Promise.all([
      assign(burst(50, NOON, 'a'), { caller: 'one' }),
      assign(burst(40, NOON, 'b'), { caller: 'two' }),
      assign(burst(20, NOON, 'c'), { caller: 'three' }),
    ]);
    expect(answers.map(({ kind }) => kind)).toEqual(['answered', 'answered', 'overloaded']);
    expect(counted).toMatchObject({ overloaded: 20 });
  });

  it('refuses events past the limit of one caller', async () => {
    const { assign, counted } = await makeAssigner();
    const answers = await Promise.all([assign(burst(50, NOON, 'a')), assign(burst(20, NOON, 'b'))]);
    expect(answers.map(({ kind }) => kind)).toEqual(['answered', 'caller-overloaded']);
    expect(counted).toMatchObject({ caller_overloaded: 20 });
  });

  it('gives up when the config changes faster than events can be placed', async () => {
    const { assign } = await makeAssigner({ assign: async () => ({ kind: 'config-changed' }) });
    expect(await assign(burst(1, NOON))).toEqual({ kind: 'overloaded' });
  });

  it('passes a failure of the store on to every request of the group', async () => {
    const { assign, counted } = await makeAssigner({ assign: () => Promise.reject(new Error('away')) });
    const both = ['a', 'b'].map((prefix) => assign(burst(1, NOON, prefix)));
    expect((await Promise.allSettled(both)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(counted).toEqual({ failed: 2 });
  });

  it('serves the neighbours of a request that the store refuses', async () => {
    const { assign, store, counted } = await makeAssigner({
      assign: async (config, requests) => {
        if (requests.some(({ eventId }) => eventId.startsWith('bad'))) {
          throw new SlotStoreRefusedError(new Error('too long'));
        }
        return store.assign(config, requests);
      },
    });
    const all = ['good', 'bad', 'fine'].map((prefix) => assign(burst(1, NOON, prefix)));
    const statuses = (await Promise.allSettled(all)).map(({ status }) => status);
    expect(statuses).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(counted).toEqual({ assigned: 2, failed: 1 });
  });

  it('counts a caller that went away apart from failures', async () => {
    const { assign, counted } = await makeAssigner();
    await expect(assign(burst(2, NOON), { signal: AbortSignal.abort(new Error('gone')) })).rejects.toThrow();
    expect(counted).toEqual({ abandoned: 2 });
  });
});

async function makeAssigner(replaced: Partial<SlotStore> = {}) {
  const store = createMemoryStore();
  await store.activate(draft, 'ops');
  const groups: number[] = [];
  const counted: Record<string, number> = {};
  const count = (outcome: string, by: number): void => {
    counted[outcome] = (counted[outcome] ?? 0) + by;
  };
  const observer: Observer = {
    answered: count,
    took: () => undefined,
    grouped: ({ events }) => groups.push(events),
    staleConfigUsed: () => count('stale', 1),
    queued: () => undefined,
    configLookedUp: () => undefined,
    noticed: () => undefined,
  };
  const configs = cacheConfigs({ configs: store, ttlMs: 5_000, now: () => 0, observer });
  const slots = { ...store, ...replaced };
  const limits = { events: 100, eventsOfCaller: 60, waitMs: 60_000 };
  const assignSlots = createAssignSlots({ configs, slots, limits, observer });
  return {
    assign: (
      requests: readonly SlotRequest[],
      { configName = 'payments', caller = 'caller', signal = open } = {},
    ) => assignSlots({ configName, caller, requests }, signal),
    store,
    groups,
    counted,
  };
}
