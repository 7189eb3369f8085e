import { once } from 'node:events';
import { createServer, request as httpRequest } from 'node:http';
import type { ClientRequest, IncomingMessage, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Registry } from 'prom-client';
import { z } from 'zod';
import { createKeyRing } from '../http/key-ring.js';
import { route } from '../http/route.js';
import { createLogger } from '../log/logger.js';
import { createApi } from './express-api.js';

const mediaType = 'application/x-ndjson';
const taken: number[] = [];
const failures: unknown[] = [];
let go = Promise.withResolvers<void>();

async function* echo(stream: AsyncIterable<Buffer>, wait: Promise<void>): AsyncGenerator<string> {
  await wait;
  try {
    for await (const piece of stream) {
      taken.push(piece.length);
      yield `${piece.length}\n`;
    }
    yield 'end\n';
  } catch (error) {
    failures.push(error);
    yield 'broken\n';
  }
}

const routes = [
  route({
    method: 'post',
    path: '/echo',
    scope: 'public',
    summary: 'Says how long each piece was',
    bodyStream: { mediaType, item: z.unknown() },
    handle: async ({ stream }) => ({
      status: 200,
      headers: { 'content-type': mediaType },
      body: echo(stream, Promise.resolve()),
    }),
  }),
  route({
    method: 'post',
    path: '/waiting',
    scope: 'public',
    summary: 'Takes nothing until it may',
    bodyStream: { mediaType, item: z.unknown() },
    handle: async ({ stream }) => ({ status: 200, body: echo(stream, go.promise) }),
  }),
  route({
    method: 'post',
    path: '/talkative',
    scope: 'public',
    summary: 'Answers a lot before the body is complete',
    bodyStream: { mediaType, item: z.unknown() },
    async handle({ stream }) {
      async function* talk(): AsyncGenerator<string> {
        for await (const _piece of stream) yield 'x'.repeat(100_000);
      }
      return { status: 200, body: talk() };
    },
  }),
  route({
    method: 'post',
    path: '/large',
    scope: 'public',
    summary: 'Takes a body larger than others',
    body: z.array(z.string()),
    bodyLimitBytes: 5000,
    handle: async ({ bytes }) => ({ status: 200, body: bytes.length }),
  }),
];

let server: Server;
let port: number;
beforeAll(async () => {
  const log = createLogger({ service: 'test', level: 'silent' });
  const keys = createKeyRing([], 'development');
  server = createServer(
    { requestTimeout: 0 },
    createApi({
      name: 'test',
      log,
      registry: new Registry(),
      keys,
      routes,
      bodyLimitBytes: 1000,
      bodyTimeoutMs: 400,
    }),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ({ port } = server.address() as AddressInfo);
});
afterAll(
  () =>
    new Promise((resolve) => {
      server.closeAllConnections();
      server.close(resolve);
    }),
);
beforeEach(() => {
  taken.length = 0;
  failures.length = 0;
  go = Promise.withResolvers<void>();
});

function open(path: string, headers: Record<string, string> = { 'content-type': mediaType }): ClientRequest {
  const request = httpRequest({ host: '127.0.0.1', port, path, method: 'POST', headers });
  request.on('error', () => undefined);
  return request;
}

async function answerTo(request: ClientRequest): Promise<IncomingMessage> {
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return response;
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const piece of response) text += String(piece);
  return text;
}

async function until(condition: () => boolean): Promise<void> {
  const deadline = Date.now() + 20_000;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error('the condition was not met in time');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

describe('a streamed route', () => {
  it('answers to the first piece before the last was sent', async () => {
    const request = open('/echo');
    request.write('12345');
    const response = await answerTo(request);
    expect(response.headers['content-type']).toBe(mediaType);
    const [first] = (await once(response, 'data')) as [Buffer];
    expect(String(first)).toBe('5\n');
    request.end('678');
    expect(await textOf(response)).toBe('3\nend\n');
  });

  it('reads no more from the connection than is taken', async () => {
    const request = open('/waiting');
    let sent = 0;
    const piece = Buffer.alloc(1_000_000);
    const pump = (): void => {
      while (sent < 40) {
        sent += 1;
        if (!request.write(piece)) return void request.once('drain', pump);
      }
      request.end();
    };
    pump();
    await until(() => sent > 0 && request.writableNeedDrain);
    expect(sent).toBeLessThan(40);
    expect(taken).toEqual([]);
    go.resolve();
    const response = await answerTo(request);
    expect(await textOf(response)).toMatch(/end\n$/);
    expect(taken.reduce((sum, size) => sum + size, 0)).toBe(40_000_000);
  }, 60_000);

  it('does not wait for a caller that reads nothing before it has sent everything', async () => {
    const request = open('/talkative');
    const answer = answerTo(request);
    for (let i = 0; i < 100; i += 1) {
      if (!request.write(Buffer.alloc(100_000))) await once(request, 'drain');
    }
    request.end();
    expect((await textOf(await answer)).length).toBeGreaterThan(5_000_000);
  }, 60_000);

  it('tells the reader when the next piece does not come in time', async () => {
    const request = open('/echo');
    request.write('1');
    expect(await textOf(await answerTo(request))).toBe('1\nbroken\n');
    expect(failures).toMatchObject([{ code: 'BODY_TOO_SLOW' }]);
  });

  it('tells the reader when the caller goes away', async () => {
    const request = open('/echo');
    request.write('1');
    await until(() => taken.length > 0);
    request.destroy();
    await until(() => failures.length > 0);
    expect(failures).toMatchObject([{ code: 'BODY_INTERRUPTED' }]);
  });

  it.each([
    ['another content type', { 'content-type': 'application/json' }, 'UNSUPPORTED_MEDIA_TYPE'],
    ['a compressed body', { 'content-type': mediaType, 'content-encoding': 'gzip' }, 'UNSUPPORTED_ENCODING'],
  ])('refuses %s before it reads', async (_what, headers, code) => {
    const request = open('/echo', headers);
    request.end('x');
    const response = await answerTo(request);
    expect([response.statusCode, response.headers.connection]).toEqual([415, expect.anything()]);
    expect(JSON.parse(await textOf(response))).toMatchObject({ code });
  });
});

describe('an ordinary route', () => {
  it('may have a limit of its own', async () => {
    const request = open('/large', { 'content-type': 'application/json' });
    request.end(JSON.stringify(['x'.repeat(4000)]));
    expect(await textOf(await answerTo(request))).toBe('4004');
  });

  it('gives a slow caller up and closes its connection', async () => {
    const request = open('/large', { 'content-type': 'application/json' });
    request.write('[');
    const response = await answerTo(request);
    expect([response.statusCode, response.headers.connection]).toEqual([408, 'close']);
    expect(JSON.parse(await textOf(response))).toMatchObject({ code: 'BODY_TOO_SLOW' });
  });
});
