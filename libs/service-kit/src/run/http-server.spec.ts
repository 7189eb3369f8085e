import { once } from 'node:events';
import { Agent, get } from 'node:http';
import type { IncomingMessage, RequestListener } from 'node:http';
import { connect } from 'node:net';
import { startHttpServer } from './http-server.js';

const agent = new Agent({ keepAlive: true });

function start(listener: RequestListener) {
  return startHttpServer({ name: 'http', listener, host: '127.0.0.1', port: 0 });
}

async function fetchOver(port: number, path = '/'): Promise<IncomingMessage & { text: string }> {
  const request = get({ port, host: '127.0.0.1', path, agent });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  let text = '';
  for await (const chunk of response) text += String(chunk);
  return Object.assign(response, { text });
}

async function sendRaw(port: number, text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.end(text);
  let answer = '';
  for await (const chunk of socket) answer += String(chunk);
  return answer;
}

afterAll(() => agent.destroy());

describe('startHttpServer', () => {
  it('closes idle connections at once when it stops', async () => {
    const server = await start((_, response) => response.end('ok'));
    const first = await fetchOver(server.port);
    expect(first.headers.connection).toBe('keep-alive');
    server.stop();
    await expect(server.stopped).resolves.toBeUndefined();
  });

  it('finishes what it has begun, and tells those clients to close', async () => {
    const begun = Promise.withResolvers<void>();
    const go = Promise.withResolvers<void>();
    const server = await start((_, response) => {
      begun.resolve();
      void go.promise.then(() => response.end('late but complete'));
    });
    const answer = fetchOver(server.port);
    await begun.promise;
    server.stop();
    go.resolve();
    const { headers, text } = await answer;
    expect([headers.connection, text]).toEqual(['close', 'late but complete']);
    await server.stopped;
  });

  it('does not wait for the next request on a connection whose answer had begun before', async () => {
    const begun = Promise.withResolvers<void>();
    const go = Promise.withResolvers<void>();
    const server = await start((_, response) => {
      response.write('half, ');
      begun.resolve();
      void go.promise.then(() => response.end('half'));
    });
    const answer = fetchOver(server.port);
    await begun.promise;
    server.stop();
    go.resolve();
    expect((await answer).text).toBe('half, half');
    await server.stopped;
  });

  it('can be stopped twice, and can abandon what does not end', async () => {
    const begun = Promise.withResolvers<void>();
    const server = await start(() => begun.resolve());
    const answer = fetchOver(server.port).catch((error: NodeJS.ErrnoException) => error.code);
    await begun.promise;
    server.stop();
    server.stop();
    server.abandon?.();
    await server.stopped;
    expect(await answer).toBe('ECONNRESET');
  });

  it('answers what is not HTTP with a problem', async () => {
    const server = await start((_, response) => response.end());
    const answer = await sendRaw(server.port, 'GARBAGE\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\nContent-Type: application\/problem\+json/);
    expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toMatchObject({ status: 400, code: 'BAD_REQUEST' });
    const long = await sendRaw(server.port, `GET / HTTP/1.1\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`);
    expect(long).toContain('"code":"REQUEST_HEADER_FIELDS_TOO_LARGE"');
    server.stop();
    await server.stopped;
  });
});
