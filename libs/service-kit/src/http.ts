/**
 * The HTTP edge: routes with schemas and scopes, API keys, and a problem+json for everything that goes wrong.
 *
 *   const readThing = route({
 *     method: 'get',
 *     path: '/things/:id',
 *     scope: 'things:read',
 *     summary: 'One thing',
 *     params: z.strictObject({ id: z.string() }),
 *     handle: async ({ params }) => ({ status: 200, body: await findThing(params.id) }),
 *   });
 */
export { route } from './http/route.js';
export type {
  Answer,
  DocumentedAnswer,
  DocumentedProblem,
  Method,
  Route,
  RouteDefinition,
  RouteDocumentation,
  RouteInput,
  StreamedBody,
} from './http/route.js';
export { openApiDocument, openApiRoute } from './http/open-api.js';
export type { ApiDescription, OpenApiDocument } from './http/open-api.js';
export { createApi } from './adapters/express-api.js';
export type { ApiOptions } from './adapters/express-api.js';
export { ProblemError } from './http/problem.js';
export type { Problem } from './http/problem.js';
export { createApiKey, createKeyRing } from './http/key-ring.js';
export type { Admission, ApiKeyEntry, ApiKeyRing, Caller } from './http/key-ring.js';
