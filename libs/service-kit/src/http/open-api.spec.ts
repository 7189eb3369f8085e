import { z } from 'zod';
import { openApiDocument, openApiRoute } from './open-api.js';
import { route } from './route.js';
import type { Route } from './route.js';

const part = z.strictObject({ name: z.string(), madeAt: z.iso.datetime() }).meta({ id: 'Part' });

const routes = [
  route({
    method: 'put',
    path: '/api/v1/things/:thingId/spare-parts',
    scope: 'things:write',
    summary: 'Set the spare parts',
    description: 'All of them.',
    params: z.strictObject({ thingId: z.string().regex(/^[a-z]+$/) }),
    query: z.strictObject({
      limit: z.coerce.number().int().max(10).default(5).describe('Most of them'),
      from: z.string(),
    }),
    body: z.strictObject({ parts: z.array(part) }),
    answers: {
      200: { description: 'As they are now', schema: part },
      204: { description: 'There are none' },
    },
    problems: [{ status: 409, code: 'THING_LOCKED', description: 'Somebody else has it.' }],
    handle: async () => ({ status: 204 }),
  }),
  route({
    method: 'get',
    path: '/api/v1/things',
    scope: 'public',
    summary: 'List things',
    handle: async () => ({ status: 200 }),
  }),
];

const document = openApiDocument({ title: 'Things', version: '1.0.0', routes });
const put = document.paths['/api/v1/things/{thingId}/spare-parts']?.['put'];
const get = document.paths['/api/v1/things']?.['get'];

describe('openApiDocument', () => {
  it('describes paths, parameters and bodies by the schemas that check them', () => {
    expect(document).toMatchObject({ openapi: '3.1.1', info: { title: 'Things', version: '1.0.0' } });
    expect(put).toMatchObject({
      operationId: 'putThingsByThingIdSpareParts',
      summary: 'Set the spare parts',
      description: 'All of them.',
      parameters: [
        { name: 'thingId', in: 'path', required: true, schema: { type: 'string', pattern: '^[a-z]+$' } },
        {
          name: 'limit',
          in: 'query',
          required: false,
          description: 'Most of them',
          schema: { type: 'integer', maximum: 10, default: 5 },
        },
        { name: 'from', in: 'query', required: true, schema: { type: 'string' } },
      ],
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: {
              type: 'object',
              properties: { parts: { type: 'array', items: { $ref: '#/components/schemas/Part' } } },
              required: ['parts'],
              additionalProperties: false,
            },
          },
        },
      },
    });
  });

  it('writes a schema with an id once, and refers to it', () => {
    expect(put).toMatchObject({
      responses: {
        200: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Part' } } } },
        204: { description: 'There are none' },
      },
    });
    expect(document.components['schemas']).toMatchObject({
      Part: {
        type: 'object',
        properties: { name: { type: 'string' }, madeAt: { type: 'string', format: 'date-time' } },
      },
      Problem: { type: 'object' },
    });
  });

  it('names the scope, and no key for a public route', () => {
    expect(put).toMatchObject({ security: [{ apiKey: ['things:write'] }] });
    expect(get).toMatchObject({ security: [] });
  });

  it('names every problem with its code, those of the edge too', () => {
    expect(problemsOf(put)).toEqual({
      400: ['BODY_NOT_JSON', 'MALFORMED_PATH'],
      401: ['UNAUTHENTICATED'],
      403: ['SCOPE_MISSING'],
      408: ['BODY_TOO_SLOW'],
      409: ['THING_LOCKED'],
      413: ['BODY_TOO_LARGE'],
      415: ['UNSUPPORTED_MEDIA_TYPE', 'UNSUPPORTED_ENCODING'],
      422: ['VALIDATION_FAILED'],
      500: ['INTERNAL_ERROR'],
      503: ['TIMED_OUT'],
    });
    expect(Object.keys(problemsOf(get))).toEqual(['400', '413', '422', '500', '503']);
  });

  it('admits that a route does not describe its answers', () => {
    expect(get).toMatchObject({ responses: { default: { description: 'The answer is not described' } } });
  });

  it('refuses two different schemas under one id', () => {
    const other = z.strictObject({ name: z.int() }).meta({ id: 'Widget' });
    const widget = z.strictObject({ name: z.int().optional().default(1) });
    const clash = (body: z.ZodType, answer: z.ZodType): Route =>
      route({
        method: 'post',
        path: '/widgets',
        scope: 'public',
        summary: 'Make one',
        body,
        answers: { 200: { description: 'Made', schema: answer } },
        handle: async () => ({ status: 200 }),
      });
    const describeAs = (one: Route) => openApiDocument({ title: 'W', version: '1', routes: [one] });
    expect(() => describeAs(clash(other, other))).not.toThrow();
    const ambiguous = widget.meta({ id: 'Gadget' });
    expect(() => describeAs(clash(ambiguous, ambiguous))).toThrow(
      'two schemas have the id Gadget and differ',
    );
  });
});

describe('openApiRoute', () => {
  it('serves the document, with itself in it', async () => {
    const self = openApiRoute({ title: 'Things', version: '1.0.0', routes });
    expect(self).toMatchObject({ method: 'get', path: '/openapi.json', scope: 'public' });
    const answer = await self.handle({} as never);
    expect(answer).toMatchObject({
      status: 200,
      body: { openapi: '3.1.1', paths: { '/openapi.json': { get: { operationId: 'getOpenapiJson' } } } },
    });
  });
});

function problemsOf(operation: unknown): Record<string, readonly string[]> {
  const { responses } = operation as { responses: Record<string, { $ref?: string }> };
  const shared = document.components['responses'] as Record<string, { content: Record<string, unknown> }>;
  return Object.fromEntries(
    Object.entries(responses).flatMap(([status, { $ref }]) => {
      const response = shared[$ref?.split('/').at(-1) ?? ''];
      const problem = response?.content['application/problem+json'] as
        { schema: { allOf: [unknown, { properties: { code: { enum: string[] } } }] } } | undefined;
      return problem ? [[status, problem.schema.allOf[1].properties.code.enum]] : [];
    }),
  );
}
