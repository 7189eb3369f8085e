/// <reference types="jest" />
/**
 * For tests: what a slot store must do, and a store that keeps everything in memory and does it.
 *
 * @example
 * describe('slots in PostgreSQL', () => {
 *   describeSlotStore(async () => ({
 *     open: (clock) => ({ ...createPgSlotStore(pool, { clock }), ...createPgRateConfigStore(pool, { clock }) }),
 *     close: () => pool.end(),
 *   }));
 * });
 */
export { describeSlotStore } from './testing/describe-slot-store.js';
export { burst, fill } from './testing/harness.js';
export type { SlotStoreHarness } from './testing/harness.js';
export { createMemoryStore } from './testing/memory-store.js';
