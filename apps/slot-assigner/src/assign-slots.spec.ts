import { burst, createMemoryStore } from '@sluice/rate-window/testing';
import { createAssignSlots } from './assign-slots.js';
import { cacheConfigs } from './cache-configs.js';
import type { Observer, SlotStore } from './ports.js';

const NOON = Date.parse('2035-06-01T12:00:00Z');
const open = new AbortController().signal;

describe('assigning slots', () => {
  it('places requests that come at the same time in one group', async () => {
    const { assignSlots, groups } = await makeAssigner();
    const answers = await Promise.all(
      burst(50, NOON).map((request) => assignSlots('payments', [request], open)),
    );
    expect(answers.every(({ kind }) => kind === 'answered')).toBe(true);
    expect(groups).toEqual([50]);
  });

  it('places events under a new version although it remembers the old one', async () => {
    const { assignSlots, store, counted } = await makeAssigner();
    await assignSlots('payments', burst(10, NOON, 'before'), open);
    await store.activate(
      { configName: 'payments', maxPerWindow: 20, windowSizeMs: 4_000, maxDelayMs: 7_999 },
      'ops',
    );
    const assignment = await assignSlots('payments', burst(10, NOON, 'after'), open);
    if (assignment.kind !== 'answered') throw new Error(assignment.kind);
    const windows = assignment.answers.map(
      (answer) => answer.kind === 'assigned' && answer.slot.windowStart.getTime(),
    );
    expect(new Set(windows)).toEqual(new Set([NOON]));
    expect(counted).toEqual({ assigned: 20 });
  });

  it('counts what it answered', async () => {
    const { assignSlots, counted } = await makeAssigner();
    await assignSlots('payments', [...burst(21, NOON), ...burst(2, NOON)], open);
    await assignSlots('nothing', burst(3, NOON), open);
    expect(counted).toEqual({ assigned: 20, existing: 2, exhausted: 1, unknown_config: 3 });
  });

  it('makes no group for a config that does not exist', async () => {
    const { assignSlots, groups } = await makeAssigner();
    expect(await assignSlots('nothing', burst(1, NOON), open)).toEqual({ kind: 'unknown-config' });
    expect(groups).toEqual([]);
  });

  it('refuses events past the limit of its queue', async () => {
    const { assignSlots, counted } = await makeAssigner();
    const answers = await Promise.all([
      assignSlots('payments', burst(90, NOON, 'a'), open),
      assignSlots('payments', burst(20, NOON, 'b'), open),
    ]);
    expect(answers.map(({ kind }) => kind)).toEqual(['answered', 'overloaded']);
    expect(counted).toMatchObject({ overloaded: 20 });
  });

  it('gives up when the config changes faster than events can be placed', async () => {
    const { assignSlots } = await makeAssigner({ assign: async () => ({ kind: 'config-changed' }) });
    expect(await assignSlots('payments', burst(1, NOON), open)).toEqual({ kind: 'overloaded' });
  });

  it('passes a failure of the store on to every request of the group', async () => {
    const { assignSlots, counted } = await makeAssigner({ assign: () => Promise.reject(new Error('away')) });
    const both = ['a', 'b'].map((prefix) => assignSlots('payments', burst(1, NOON, prefix), open));
    expect((await Promise.allSettled(both)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(counted).toEqual({ failed: 2 });
  });
});

async function makeAssigner(replaced: Partial<SlotStore> = {}) {
  const store = createMemoryStore();
  await store.activate(
    { configName: 'payments', maxPerWindow: 10, windowSizeMs: 4_000, maxDelayMs: 7_999 },
    'ops',
  );
  const groups: number[] = [];
  const counted: Record<string, number> = {};
  const observer: Observer = {
    answered: (outcome, count) => (counted[outcome] = (counted[outcome] ?? 0) + count),
    grouped: ({ events }) => groups.push(events),
    queued: () => undefined,
    configLookedUp: () => undefined,
  };
  const configs = cacheConfigs({ configs: store, ttlMs: 5_000, now: () => 0, observer });
  const slots = { ...store, ...replaced };
  return {
    assignSlots: createAssignSlots({ configs, slots, queueLimit: 100, observer }),
    store,
    groups,
    counted,
  };
}
