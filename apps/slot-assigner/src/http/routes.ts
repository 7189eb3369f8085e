import type { RateConfigStore, SlotStore } from '@sluice/rate-window';
import type { Logger } from '@sluice/service-kit';
import { openApiRoute } from '@sluice/service-kit/http';
import type { Route } from '@sluice/service-kit/http';
import { createAssignSlots } from '../assign-slots.js';
import type { QueueLimits } from '../assign-slots.js';
import { createChangeConfig } from '../change-config.js';
import { createFlushConfigs } from '../flush-configs.js';
import type { ActiveConfigs, Announcements, Observer } from '../ports.js';
import { configRoutes } from './config-routes.js';
import { slotRoutes } from './slot-routes.js';
import { windowRoutes } from './window-routes.js';

export interface ApiParts {
  readonly store: {
    readonly slots: SlotStore;
    readonly configs: RateConfigStore;
    readonly announcements: Announcements;
  };
  /** What this node remembers of the store's rate limits. */
  readonly configs: ActiveConfigs;
  readonly defaultConfig: string;
  readonly limits: QueueLimits;
  readonly observer: Observer;
  readonly log: Logger;
}

/** The whole API of slot-assigner, with its own description at `/openapi.json`. */
export function createRoutes({
  store,
  configs,
  defaultConfig,
  limits,
  observer,
  log,
}: ApiParts): readonly Route[] {
  const { slots, announcements } = store;
  const assignSlots = createAssignSlots({ configs, slots, limits, observer });
  const changeConfig = createChangeConfig({
    ...{ store: store.configs, configs, announcements },
    onUnannounced: (configName, err) =>
      log.warn({ err, configName }, 'a rate limit has changed, and the other nodes could not be told'),
  });
  const flushConfigs = createFlushConfigs(configs, announcements);
  const routes = [
    ...slotRoutes({ assignSlots, slots, defaultConfig }),
    ...windowRoutes({ slots, configs: store.configs, defaultConfig }),
    ...configRoutes({ changeConfig, flushConfigs, configs: store.configs }),
  ];
  return [
    ...routes,
    openApiRoute({
      title: 'Sluice slot-assigner',
      version: '1.0.0',
      description: 'Time slots under rate limits: at most so many events a window, each event one slot.',
      routes,
    }),
  ];
}
