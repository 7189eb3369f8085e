import { openApiRoute } from '@sluice/service-kit/http';
import type { Route } from '@sluice/service-kit/http';
import type { ApiParts } from './api-parts.js';
import { deadLetterRoutes } from './dead-letter-routes.js';
import { outboxRoutes } from './outbox-routes.js';
import { railRoutes } from './rail-routes.js';

/** The API of the outbox and the rails, with its own description at `/openapi.json`. */
export function createRoutes(parts: ApiParts): readonly Route[] {
  const routes = [...outboxRoutes(parts.outbox), ...deadLetterRoutes(parts), ...railRoutes(parts)];
  return [
    ...routes,
    openApiRoute({
      title: 'Sluice exec-worker',
      version: '1.0.0',
      description: 'What leaves for the rails, what became of it, and what an operator can do about it.',
      routes,
    }),
  ];
}
