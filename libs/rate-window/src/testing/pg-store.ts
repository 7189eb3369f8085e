import type { RateConfigStore, SlotStore } from '../ports.js';
import { createPgRateConfigStore } from '../adapters/pg-config-store.js';
import type { Queryable } from '../adapters/pg-queryable.js';
import { createPgSlotStore } from '../adapters/pg-slot-store.js';

/** Both stores of one node. */
export function pgStore(db: Queryable, clock?: { now(): Date }): SlotStore & RateConfigStore {
  const options = clock === undefined ? {} : { clock };
  return { ...createPgSlotStore(db, options), ...createPgRateConfigStore(db, options) };
}
