import type { RateConfigStore, SlotStore } from '@sluice/rate-window';
import type { Route } from '@sluice/service-kit/http';
import { createAssignSlots } from '../assign-slots.js';
import { createChangeConfig } from '../change-config.js';
import type { ActiveConfigs, Observer } from '../ports.js';
import { createConfigRoutes } from './config-routes.js';
import { createSlotRoutes } from './slot-routes.js';

interface Options {
  readonly slots: SlotStore;
  readonly store: RateConfigStore;
  readonly configs: ActiveConfigs;
  readonly queueLimit: number;
  readonly observer: Observer;
}

/** The whole API of slot-assigner. */
export function createRoutes({ slots, store, configs, queueLimit, observer }: Options): Route[] {
  const assignSlots = createAssignSlots({ configs, slots, queueLimit, observer });
  const changeConfig = createChangeConfig(store, configs);
  return [
    ...createSlotRoutes({ assignSlots, slots }),
    ...createConfigRoutes({ changeConfig, configs: store }),
  ];
}
