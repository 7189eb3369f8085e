import fc from 'fast-check';
import type { RateConfigStore, SlotStore } from '../ports.js';
import { describeSlotProperties } from './describe-slot-properties.js';
import type { TestClock } from './harness.js';
import { play } from './history.js';
import * as laws from './laws.js';
import { createMemoryStore, createSharedMemory } from './memory-store.js';
import { stampedes } from './scenario.js';

type Node = SlotStore & RateConfigStore;
type Memory = ReturnType<typeof createSharedMemory>;

describe('the plain model', () => {
  const memory = createSharedMemory();
  describeSlotProperties(
    () => ({ open: (clock) => createMemoryStore(clock, memory), close: async () => undefined }),
    { runs: 100 },
  );

  it('keeps its laws when nodes stampede, in whatever order their calls run', () =>
    checkStampedes((shared, turn, clock) => {
      const store = createMemoryStore(clock, shared);
      return { ...store, assign: (config, requests) => turn(() => store.assign(config, requests)) };
    }));
});

describe('a model that reads and then writes without a lock', () => {
  it('is caught', async () => {
    await expect(checkStampedes(readThenWrite)).rejects.toThrow(/Property failed/);
  });
});

/** Runs a call when the scheduler says so. */
type Turn = <T>(call: () => Promise<T>) => Promise<T>;

function checkStampedes(open: (memory: Memory, turn: Turn, clock?: TestClock) => Node): Promise<void> {
  return fc.assert(
    fc.asyncProperty(stampedes, fc.scheduler(), async (scenario, scheduler) => {
      const memory = createSharedMemory();
      const turn: Turn = (call) => scheduler.schedule(Promise.resolve()).then(call);
      const playing = play(
        { open: (clock) => open(memory, turn, clock), close: async () => undefined },
        scenario,
      );
      const moments = await scheduler.waitFor(playing);
      for (const law of [laws.capacity, laws.oneSlotAnEvent, laws.workConserving, laws.conservation])
        law(moments);
    }),
    { numRuns: 50, endOnFailure: true },
  );
}

/** Places its group in a copy of what it read, and writes the copy back in a later turn. */
function readThenWrite(memory: Memory, turn: Turn, clock?: TestClock): Node {
  return {
    ...createMemoryStore(clock, memory),
    async assign(config, requests) {
      const read = structuredClone(memory);
      const outcome = await createMemoryStore(clock, read).assign(config, requests);
      return turn(async () => {
        for (const [key, slot] of read.slots) memory.slots.set(key, slot);
        for (const [name, windows] of read.windows) memory.windows.set(name, windows);
        return outcome;
      });
    },
  };
}
