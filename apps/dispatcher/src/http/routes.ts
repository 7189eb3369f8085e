import type { DispatchQueue } from '@sluice/queue-core';
import { openApiRoute } from '@sluice/service-kit/http';
import type { Route } from '@sluice/service-kit/http';
import type { TriggerParts } from '../trigger-cycle.js';
import { configRoutes } from './config-routes.js';
import type { ConfigStore } from './config-routes.js';
import { cycleRoutes } from './cycle-routes.js';
import { depthRoutes } from './depth-routes.js';
import { exhaustedRoutes } from './exhausted-routes.js';
import { itemRoutes } from './item-routes.js';

export interface ApiParts extends TriggerParts {
  readonly queue: TriggerParts['queue'] &
    ConfigStore &
    Pick<
      DispatchQueue,
      | 'findItem'
      | 'requeue'
      | 'cancel'
      | 'listExhausted'
      | 'measureDepth'
      | 'measureMinutes'
      | 'countFinished'
    >;
}

/** The dispatch admin API, with its own description at `/openapi.json`. */
export function createRoutes(parts: ApiParts): readonly Route[] {
  const routes = [
    ...configRoutes(parts.queue),
    ...depthRoutes(parts.queue),
    ...itemRoutes(parts.queue),
    ...exhaustedRoutes(parts.queue),
    ...cycleRoutes(parts),
  ];
  return [
    ...routes,
    openApiRoute({
      title: 'Sluice dispatcher',
      version: '1.0.0',
      description: 'How items leave the dispatch queue, and what became of them.',
      routes,
    }),
  ];
}
