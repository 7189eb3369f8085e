import { createServer, request as httpRequest } from 'node:http';
import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Registry } from 'prom-client';
import { z } from 'zod';
import { createApiKey, createKeyRing } from '../http/key-ring.js';
import { ProblemError } from '../http/problem.js';
import { route } from '../http/route.js';
import { createLogger } from '../log/logger.js';
import { createApi } from './express-api.js';

const writer = createApiKey('shop');
const reader = createApiKey('viewer');
const keys = createKeyRing(
  [
    { ...writer.entry, scopes: ['things:write', 'things:read'] },
    { ...reader.entry, scopes: ['things:read'] },
  ],
  'production',
);
const thing = z.strictObject({
  name: z.string().max(5),
  count: z.int().min(1),
  webhookSecret: z
    .string()
    .regex(/^whsec_/)
    .optional(),
});
const started = Promise.withResolvers<AbortSignal>();

const routes = [
  route({
    method: 'post',
    path: '/things/:id',
    scope: 'things:write',
    summary: 'Make a thing',
    params: z.object({ id: z.string().regex(/^[a-z]+$/, 'letters a-z') }),
    body: thing,
    handle: async ({ params, body, bytes, caller }) => ({
      status: 201,
      headers: { location: `/things/${params.id}` },
      body: { id: params.id, count: body.count, bytes: bytes.length, caller: caller.id },
    }),
  }),
  route({
    method: 'get',
    path: '/things',
    scope: 'things:read',
    summary: 'List things',
    query: z.strictObject({ limit: z.coerce.number().int().max(10).default(5) }),
    handle: async ({ query }) => ({ status: 200, body: query }),
  }),
  route({
    method: 'delete',
    path: '/things',
    scope: 'things:write',
    summary: 'Empty',
    handle: async () => ({ status: 204 }),
  }),
  route({
    method: 'get',
    path: '/conflict',
    scope: 'public',
    summary: 'Refuses',
    handle: async () => {
      const extensions = { existing: 'abc', status: 'not ours' };
      throw new ProblemError({
        status: 409,
        code: 'THING_CONFLICT',
        title: 'Conflict',
        detail: 'There is one.',
        extensions,
      });
    },
  }),
  route({
    method: 'get',
    path: '/crash',
    scope: 'public',
    summary: 'Crashes',
    handle: () => Promise.reject(new Error('connect postgres://app:hunter2@db')),
  }),
  route({
    method: 'get',
    path: '/text',
    scope: 'public',
    summary: 'Not JSON',
    handle: async () => ({ status: 200, headers: { 'content-type': 'text/plain' }, body: 'hello' }),
  }),
  route({
    method: 'get',
    path: '/hang',
    scope: 'public',
    summary: 'Never answers',
    handle: ({ signal }) => {
      started.resolve(signal);
      return new Promise(() => {});
    },
  }),
];

const registry = new Registry();
let logged = '';
let server: Server;
let base: string;

beforeAll(async () => {
  const log = createLogger({ service: 'demo', destination: { write: (line) => void (logged += line) } });
  const listener = createApi({
    name: 'demo',
    log,
    registry,
    keys,
    bodyLimitBytes: 1000,
    handlerTimeoutMs: 300,
    routes,
  });
  server = createServer(listener).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

interface Sent {
  readonly method?: string;
  readonly key?: string | undefined;
  readonly headers?: Record<string, string>;
  readonly body?: string | Buffer;
}

async function send(path: string, { method = 'POST', key = writer.key, headers = {}, body }: Sent = {}) {
  const auth = key === '' ? {} : { authorization: `Bearer ${key}` };
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  const init = { method, headers: { ...auth, ...type, ...headers }, ...(body === undefined ? {} : { body }) };
  const response = await fetch(`${base}${path}`, init);
  const text = await response.text();
  const json = /json/.test(response.headers.get('content-type') ?? '')
    ? (JSON.parse(text) as Record<string, unknown>)
    : {};
  return { status: response.status, headers: response.headers, text, json };
}

const goodBody = JSON.stringify({ name: 'bolt', count: 2 });

describe('a route', () => {
  it('gets parsed input and answers JSON with a request id', async () => {
    const { status, json, headers } = await send('/things/abc', { body: goodBody });
    expect(status).toBe(201);
    expect(json).toEqual({ id: 'abc', count: 2, bytes: goodBody.length, caller: 'shop' });
    expect(headers.get('location')).toBe('/things/abc');
    expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(headers.get('x-powered-by')).toBeNull();
  });

  it('keeps the request id of the caller, unless it has a dangerous form', async () => {
    const given = await send('/things', { method: 'GET', headers: { 'x-request-id': 'order-7.1' } });
    expect(given.headers.get('x-request-id')).toBe('order-7.1');
    const odd = await send('/things', { method: 'GET', headers: { 'x-request-id': 'a b"c' } });
    expect(odd.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('parses the query and fills in its defaults', async () => {
    expect((await send('/things?limit=3', { method: 'GET' })).json).toEqual({ limit: 3 });
    expect((await send('/things', { method: 'GET' })).json).toEqual({ limit: 5 });
  });

  it('answers HEAD as GET without a body, and nothing for 204', async () => {
    expect(await send('/text', { method: 'HEAD' })).toMatchObject({ status: 200, text: '' });
    expect(await send('/things', { method: 'DELETE' })).toMatchObject({ status: 204, text: '' });
  });

  it('may answer something else than JSON', async () => {
    const { headers, text } = await send('/text', { method: 'GET' });
    expect([headers.get('content-type'), text]).toEqual(['text/plain', 'hello']);
  });
});

describe('problems', () => {
  const expectProblem = (
    answer: Awaited<ReturnType<typeof send>>,
    { status, code }: { status: number; code: string },
  ): void => {
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(answer.status).toBe(status);
    expect(answer.json).toMatchObject({
      status,
      code,
      title: expect.any(String) as string,
      detail: expect.any(String) as string,
    });
    expect(answer.json['type']).toBe(`urn:sluice:problem:${code.toLowerCase().replaceAll('_', '-')}`);
    expect(answer.json['requestId']).toBe(answer.headers.get('x-request-id'));
  };

  it('refuse a caller without a key, before anything else of the request is looked at', async () => {
    const answer = await send('/things/NOT-LETTERS', { key: '', body: '{{{' });
    expectProblem(answer, { status: 401, code: 'UNAUTHENTICATED' });
    expect(answer.headers.get('www-authenticate')).toContain('Bearer');
  });

  it.each([
    ['of an unknown caller', createApiKey('stranger').key],
    ['that is another one of a known caller', createApiKey('shop').key],
    ['that is no key at all', 'hunter2'],
    ['that goes on after the right one', `${writer.key}x`],
  ])('refuse a key %s', async (_, key) => {
    expectProblem(await send('/things/abc', { key, body: goodBody }), {
      status: 401,
      code: 'UNAUTHENTICATED',
    });
  });

  it('refuse a caller whose key lacks the scope, and name the scope', async () => {
    const answer = await send('/things/abc', { key: reader.key, body: goodBody });
    expectProblem(answer, { status: 403, code: 'SCOPE_MISSING' });
    expect(answer.json['detail']).toContain('things:write');
  });

  it.each([
    ['text', '{"name":'],
    ['nothing', ''],
    ['bytes that are not UTF-8', Buffer.from([0x22, 0xff, 0x22])],
  ])('refuse a body that is not JSON: %s', async (_, body) => {
    expectProblem(await send('/things/abc', { body }), { status: 400, code: 'BODY_NOT_JSON' });
  });

  it('do not quote a body that is not JSON', async () => {
    const { text } = await send('/things/abc', { body: '{"account": DE89370400440532013000}' });
    expect(text).not.toContain('DE89');
  });

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/json; charset=latin1',
    'text/json',
  ])('refuse the content type %s', async (type) => {
    const answer = await send('/things/abc', { body: goodBody, headers: { 'content-type': type } });
    expectProblem(answer, { status: 415, code: 'UNSUPPORTED_MEDIA_TYPE' });
  });

  it.each(['application/json; charset=utf-8', 'application/vnd.demo+json'])(
    'accept the content type %s',
    async (type) => {
      const answer = await send('/things/abc', { body: goodBody, headers: { 'content-type': type } });
      expect(answer.status).toBe(201);
    },
  );

  it('refuse a compressed body', async () => {
    const answer = await send('/things/abc', { body: goodBody, headers: { 'content-encoding': 'gzip' } });
    expectProblem(answer, { status: 415, code: 'UNSUPPORTED_ENCODING' });
  });

  it('refuse a body beyond the limit, and take one at the limit', async () => {
    const padded = (length: number): string => goodBody.padEnd(length, ' ');
    expect((await send('/things/abc', { body: padded(1000) })).status).toBe(201);
    const answer = await send('/things/abc', { body: padded(1001) });
    expectProblem(answer, { status: 413, code: 'BODY_TOO_LARGE' });
    expect(answer.json['detail']).toContain('1000 bytes');
  });

  it('refuse a huge body by its announced length, without waiting for it', async () => {
    const headers = {
      authorization: `Bearer ${writer.key}`,
      'content-type': 'application/json',
      'content-length': '1000000000',
    };
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const request = httpRequest(`${base}/things/abc`, { method: 'POST', headers }, resolve).on(
        'error',
        reject,
      );
      request.write('{');
    });
    expect(response.statusCode).toBe(413);
    expect(response.headers.connection).toBe('close');
    response.destroy();
  });

  it('name every field that is wrong, with what was expected and found', async () => {
    const answer = await send('/things/abc', {
      body: JSON.stringify({ name: 'too long', count: 'two', colour: 'red' }),
    });
    expectProblem(answer, { status: 422, code: 'VALIDATION_FAILED' });
    expect(answer.json['errors']).toEqual([
      { path: 'name', expected: 'at most 5 characters', found: '"too long"' },
      { path: 'count', expected: 'a number', found: '"two"' },
      { path: 'colour', expected: 'no such field', found: 'an unknown field' },
    ]);
  });

  it('refuse an unknown field even if it is called __proto__', async () => {
    const answer = await send('/things/abc', { body: '{"name":"a","count":1,"__proto__":{"x":1}}' });
    expectProblem(answer, { status: 422, code: 'VALIDATION_FAILED' });
  });

  it('do not repeat what a secret field held', async () => {
    const body = JSON.stringify({ name: 'a', count: 1, webhookSecret: 'oops-secret' });
    const answer = await send('/things/abc', { body });
    expect(answer.json['errors']).toMatchObject([
      { path: 'webhookSecret', found: 'a value that is not shown' },
    ]);
    expect(answer.text).not.toContain('oops');
  });

  it('refuse wrong parts of path and query', async () => {
    const path = await send('/things/A1', { body: goodBody });
    expect(path.json['errors']).toEqual([{ path: 'path.id', expected: 'letters a-z', found: '"A1"' }]);
    const query = await send('/things?limit=11&offset=2', { method: 'GET' });
    expect(query.json['errors']).toMatchObject([
      { path: 'query.limit', expected: 'at most 10' },
      { path: 'query.offset' },
    ]);
    const unused = await send('/conflict?a=1', { method: 'GET' });
    expect(unused.json['errors']).toMatchObject([{ path: 'query.a', expected: 'no such field' }]);
  });

  it('refuse a body where none is expected', async () => {
    expectProblem(await send('/things', { method: 'DELETE', body: '{}' }), {
      status: 400,
      code: 'BODY_NOT_EXPECTED',
    });
  });

  it('answer an unknown path, a wrong method and a malformed path', async () => {
    expectProblem(await send('/nowhere'), { status: 404, code: 'UNKNOWN_PATH' });
    const method = await send('/things', { method: 'PUT', body: '{}' });
    expectProblem(method, { status: 405, code: 'METHOD_NOT_ALLOWED' });
    expect(method.headers.get('allow')).toBe('GET, DELETE, HEAD');
    expectProblem(await send('/things/%zz', { body: goodBody }), { status: 400, code: 'MALFORMED_PATH' });
  });

  it('come from routes with their own code and further members, which cannot replace ours', async () => {
    const answer = await send('/conflict', { method: 'GET' });
    expectProblem(answer, { status: 409, code: 'THING_CONFLICT' });
    expect(answer.json['existing']).toBe('abc');
  });

  it('hide the inside when a route crashes, and tell it to the log', async () => {
    logged = '';
    const answer = await send('/crash', { method: 'GET', headers: { 'x-request-id': 'crash-1' } });
    expectProblem(answer, { status: 500, code: 'INTERNAL_ERROR' });
    expect(answer.text).not.toMatch(/postgres|Error:|at /);
    expect(logged).toContain('"requestId":"crash-1"');
    expect(logged).toContain('postgres://app:***@db');
  });

  it('end a request whose route does not answer in time', async () => {
    const answer = await send('/hang', { method: 'GET' });
    expectProblem(answer, { status: 503, code: 'TIMED_OUT' });
    expect((await started.promise).aborted).toBe(true);
  });
});

describe('what is recorded', () => {
  it('counts requests by route pattern, never by path', async () => {
    registry.resetMetrics();
    await send('/things/abc', { body: goodBody });
    await send('/things/xyz', { body: goodBody });
    await send('/secret-path');
    const text = await registry.metrics();
    expect(text).toContain('http_requests_total{method="POST",route="/things/:id",status="201"} 2');
    expect(text).toContain('http_requests_total{method="POST",route="unknown",status="404"} 1');
    expect(text).toContain('http_request_duration_seconds_count{method="POST",route="/things/:id"} 2');
    expect(text).not.toContain('secret-path');
  });

  it('logs one line a request with caller and code, without query and key', async () => {
    logged = '';
    await send('/things/abc?token=t0ps3cret', { key: reader.key, body: goodBody });
    const lines = logged
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines).toMatchObject([
      {
        msg: 'request',
        method: 'POST',
        route: '/things/:id',
        path: '/things/abc',
        status: '403',
        code: 'SCOPE_MISSING',
      },
    ]);
    expect(logged).not.toContain('t0ps3cret');
    expect(logged).not.toContain(reader.key);
  });
});
