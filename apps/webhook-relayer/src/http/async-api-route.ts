import { route } from '@sluice/service-kit/http';
import type { Route } from '@sluice/service-kit/http';
import { z } from 'zod';
import { asyncApiDocument } from '../async-api.js';

/** Serves the description of the topics beside that of the API. */
export function asyncApiRoute(): Route {
  const document = asyncApiDocument('1.0.0');
  return route({
    method: 'get',
    path: '/asyncapi.json',
    scope: 'public',
    summary: 'The description of the Kafka topics',
    answers: { 200: { description: 'An AsyncAPI 3 document', schema: z.looseObject({}) } },
    handle: () => Promise.resolve({ status: 200, body: document }),
  });
}
