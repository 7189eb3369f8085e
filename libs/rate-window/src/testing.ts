/**
 * For tests: what a slot store must do, and a store that keeps everything in memory and does it.
 *
 * @example
 * describe('slots in PostgreSQL', () => {
 *   describeSlotStore(async () => ({ slots: createPgSlotStore(pool), configs: createPgRateConfigStore(pool), close }));
 * });
 */
export { burst, describeSlotStore, fill } from './testing/describe-slot-store.js';
export type { SlotStoreHarness } from './testing/describe-slot-store.js';
export { createMemoryStore } from './testing/memory-store.js';
