import { openApiRoute, route } from '@sluice/service-kit/http';
import type { Route } from '@sluice/service-kit/http';
import { asyncApiRoute } from './async-api-route.js';
import { aliveAnswer } from './answers.js';
import { deliveryRoutes } from './delivery-routes.js';
import type { DeliveryParts } from './delivery-routes.js';
import { eventRoutes } from './event-routes.js';
import type { EventParts } from './event-routes.js';
import { operationRoutes } from './operation-routes.js';
import type { OperationParts } from './operation-routes.js';
import { answeringStore } from './store-problems.js';
import { subscriptionRoutes } from './subscription-routes.js';
import type { SubscriptionParts } from './subscription-routes.js';

export type ApiParts = EventParts & SubscriptionParts & OperationParts & DeliveryParts;

/** The API for producers and customers, with its own descriptions at `/openapi.json` and `/asyncapi.json`. */
export function createRoutes(parts: ApiParts): Route[] {
  const stored = [
    ...eventRoutes(parts),
    ...subscriptionRoutes(parts),
    ...operationRoutes(parts),
    ...deliveryRoutes(parts),
  ];
  const routes = [...stored.map(answeringStore), aliveRoute(), asyncApiRoute()];
  return [
    ...routes,
    openApiRoute({
      title: 'Sluice webhook-relayer',
      version: '1.0.0',
      description: 'Events in, signed webhooks out: who is told of what, and what became of it.',
      routes,
    }),
  ];
}

function aliveRoute(): Route {
  return route({
    method: 'get',
    path: '/health',
    scope: 'public',
    summary: 'Says that the API answers; readiness is told on the ops port',
    answers: { 200: { description: 'It answers', schema: aliveAnswer } },
    handle: () => Promise.resolve({ status: 200, body: { status: 'ok' } }),
  });
}
