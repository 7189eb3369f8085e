import { describeSlotStore } from './describe-slot-store.js';
import { createMemoryStore, createSharedMemory } from './memory-store.js';

describe('slots in memory', () => {
  describeSlotStore(async () => {
    const memory = createSharedMemory();
    return { open: (clock) => createMemoryStore(clock, memory), close: async () => undefined };
  });
});
