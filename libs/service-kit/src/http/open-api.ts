import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { edgeProblems } from './edge-problems.js';
import { createSchemaWriter } from './schema-writer.js';
import type { JsonSchema, SchemaWriter } from './schema-writer.js';
import { route } from './route.js';
import type { DocumentedProblem, Route } from './route.js';

export interface ApiDescription {
  readonly title: string;
  readonly version: string;
  readonly description?: string;
  readonly routes: readonly Route[];
}

export interface OpenApiDocument {
  readonly openapi: '3.1.1';
  readonly info: Readonly<Record<string, string>>;
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly components: Readonly<Record<string, unknown>>;
}

const problemSchema = z
  .looseObject({
    type: z.string().describe('urn:sluice:problem: and the code in small letters'),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    code: z.string().describe('Stable; clients act on it'),
    requestId: z.string(),
  })
  .meta({ id: 'Problem', description: 'RFC 9457' });

/** OpenAPI 3.1 of the routes as they are: paths, schemas, scopes, answers, and every problem with its code. */
export function openApiDocument(api: ApiDescription): OpenApiDocument {
  const writer = createSchemaWriter();
  const responses: Record<string, unknown> = {};
  const paths: Record<string, Record<string, unknown>> = {};
  for (const one of api.routes) {
    const path = one.path.replaceAll(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [one.method]: describeOperation(one, writer, responses) };
  }
  return {
    openapi: '3.1.1',
    info: {
      title: api.title,
      version: api.version,
      ...(api.description === undefined ? {} : { description: api.description }),
    },
    paths,
    components: {
      schemas: writer.definitions(),
      responses,
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'An API key: `Bearer slk_<id>_<secret>`.' },
      },
    },
  };
}

/** Serves the document of an API, this route included, at `GET /openapi.json`. */
export function openApiRoute(api: ApiDescription): Route {
  const self = route({
    method: 'get',
    path: '/openapi.json',
    scope: 'public',
    summary: 'This description of the API',
    answers: { 200: { description: 'An OpenAPI 3.1 document', schema: z.looseObject({}) } },
    handle: async () => ({ status: 200, body: document }),
  });
  const document = openApiDocument({ ...api, routes: [...api.routes, self] });
  return self;
}

function describeOperation(
  one: Route,
  writer: SchemaWriter,
  responses: Record<string, unknown>,
): Record<string, unknown> {
  const parameters = [
    ...describeParameters(one.params, 'path', writer),
    ...describeParameters(one.query, 'query', writer),
    ...Object.entries(one.headers ?? {}).map(([name, description]) => ({
      name,
      in: 'header',
      required: false,
      description,
      schema: { type: 'string' },
    })),
  ];
  return {
    operationId: operationId(one),
    summary: one.summary,
    ...(one.description === undefined ? {} : { description: one.description }),
    security: one.scope === 'public' ? [] : [{ apiKey: [one.scope] }],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...describeBody(one, writer),
    responses: { ...describeAnswers(one, writer), ...describeProblems(one, writer, responses) },
  };
}

function describeBody({ body, bodyStream }: Route, writer: SchemaWriter): Record<string, unknown> {
  const schema = bodyStream?.item ?? body;
  if (schema === undefined) return {};
  const content = {
    [bodyStream?.mediaType ?? 'application/json']: { schema: writer.write(schema, 'input') },
  };
  return { requestBody: { required: true, content } };
}

/** `get /api/v1/things/:id/parts` is `getThingsByIdParts`. */
function operationId(one: Route): string {
  const words = one.path
    .split(/[/.]/)
    .filter((part) => part !== '' && part !== 'api' && !/^v\d+$/.test(part))
    .map((part) => (part.startsWith(':') ? `By${capitalized(part.slice(1))}` : capitalized(part)));
  return `${one.method}${words.join('')}`;
}

function capitalized(word: string): string {
  return word.replaceAll(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function describeParameters(
  schema: z.ZodType | undefined,
  place: 'path' | 'query',
  writer: SchemaWriter,
): Record<string, unknown>[] {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = writer.write(schema, 'input');
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...rest } = property;
    return {
      name,
      in: place,
      required: place === 'path' || required.includes(name),
      ...(description === undefined ? {} : { description }),
      schema: rest,
    };
  });
}

function describeAnswers(one: Route, writer: SchemaWriter): Record<string, unknown> {
  const answers = Object.entries(one.answers ?? {});
  if (answers.length === 0) return { default: { description: 'The answer is not described' } };
  return Object.fromEntries(
    answers.map(([status, { description, schema, mediaType = 'application/json' }]) => [
      status,
      {
        description,
        ...(schema === undefined
          ? {}
          : { content: { [mediaType]: { schema: writer.write(schema, 'output') } } }),
      },
    ]),
  );
}

/** Most problems are the same on many routes: each is written once, under its codes, and referred to. */
function describeProblems(
  one: Route,
  writer: SchemaWriter,
  responses: Record<string, unknown>,
): Record<string, unknown> {
  const problems = [...(one.problems ?? []), ...edgeProblems(one)];
  const byStatus = Map.groupBy(problems, (problem) => problem.status);
  return Object.fromEntries(
    [...byStatus].map(([status, group]) => {
      const name = group.map((problem) => problem.code).join('.');
      const described = describeProblem(group, writer);
      responses[name] ??= described;
      const isShared = isDeepStrictEqual(responses[name], described);
      return [String(status), isShared ? { $ref: `#/components/responses/${name}` } : described];
    }),
  );
}

function describeProblem(group: readonly DocumentedProblem[], writer: SchemaWriter): unknown {
  const codes: JsonSchema = {
    type: 'object',
    properties: { code: { enum: group.map((problem) => problem.code) } },
  };
  return {
    description: group.map((problem) => `\`${problem.code}\`: ${problem.description}`).join('\n\n'),
    content: {
      'application/problem+json': { schema: { allOf: [writer.write(problemSchema, 'output'), codes] } },
    },
  };
}
