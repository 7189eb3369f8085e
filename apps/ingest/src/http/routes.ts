import { z } from 'zod';
import {
  openApiDocument,
  openApiRoute,
  route,
  type ApiDescription,
  type Route,
} from '@sluice/service-kit/http';
import type { ParticipantLimits } from '../ports.js';
import { asyncApiDocument } from './async-api.js';
import { bulkRoutes, type BulkRouteParts } from './bulk-routes.js';
import { docsPage } from './docs-page.js';
import { limitRoutes } from './limit-routes.js';
import { paymentRoutes, type PaymentRouteParts } from './payment-routes.js';

export interface ApiParts extends PaymentRouteParts, BulkRouteParts {
  readonly limits: ParticipantLimits;
}

/** What producers and operators meet, with its own description. */
export function createRoutes(parts: ApiParts): readonly Route[] {
  const routes = [...paymentRoutes(parts), ...bulkRoutes(parts), ...limitRoutes(parts.limits)];
  const api = {
    title: 'Sluice ingest',
    version: '1.0.0',
    description: 'Takes payments in, once each, and tells what became of them.',
    routes: [...routes, ...documentRoutes(routes)],
  };
  return [...api.routes, openApiRoute(api)];
}

function documentRoutes(routes: readonly Route[]): readonly Route[] {
  const asyncApi = asyncApiDocument();
  const api: ApiDescription = {
    title: 'Sluice: sending payments',
    version: '1.0.0',
    description: 'One paymentId is one payment for ever: whatever is in doubt may be sent again.',
    routes,
  };
  const page = docsPage(openApiDocument(api), asyncApi);
  return [
    route({
      method: 'get',
      path: '/asyncapi.json',
      scope: 'public',
      summary: 'The topics of payment requests',
      answers: { 200: { description: 'An AsyncAPI 3 document', schema: z.looseObject({}) } },
      handle: async () => ({ status: 200, body: asyncApi }),
    }),
    route({
      method: 'get',
      path: '/docs',
      scope: 'public',
      summary: 'This documentation for people',
      answers: { 200: { description: 'A page', mediaType: 'text/html', schema: z.string() } },
      handle: async () => ({
        status: 200,
        headers: {
          'content-type': 'text/html; charset=utf-8',
          'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
        },
        body: page,
      }),
    }),
  ];
}
