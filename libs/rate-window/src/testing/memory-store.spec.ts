import { describeSlotStore } from './describe-slot-store.js';
import { createMemoryStore } from './memory-store.js';

describe('slots in memory', () => {
  describeSlotStore(async () => {
    const store = createMemoryStore();
    return { slots: store, configs: store, close: async () => undefined };
  });
});
