import { createServer } from 'node:http';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import type { AddressInfo, Server as TcpServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import { createAddressPolicy } from '../address-policy.js';
import { createAddressCheck, createGuardedLookup } from './guarded-dns.js';
import type { Resolve } from './dns-cache.js';
import { createHttpSender } from './http-sender.js';

const never = new AbortController().signal;
const servers: Server[] = [];
const sockets: TcpServer[] = [];
const senders: { close(): Promise<void> }[] = [];

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  servers.push(server);
  await new Promise((resolve) => server.once('listening', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

interface Changes {
  readonly allowed?: string[];
  readonly timeoutMs?: number;
  readonly maxResponseBytes?: number;
  readonly resolve?: Resolve;
}

function createSender(changes: Changes = {}) {
  const { allowed = ['127.0.0.1'], ...rest } = changes;
  const policy = createAddressPolicy(allowed);
  const sender = createHttpSender({ policy, timeoutMs: 5_000, maxSockets: 4, ...rest });
  senders.push(sender);
  return (url: string, stop = never) =>
    sender.send({ url, headers: { 'x-test': '1' }, body: Buffer.from('{}') }, stop);
}

afterEach(async () => {
  for (const server of sockets.splice(0)) server.close();
  await Promise.all(senders.splice(0).map((sender) => sender.close()));
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

const answer =
  (status: number, body: string | Buffer = '', headers: Record<string, string> = {}) =>
  (request: IncomingMessage, response: ServerResponse): void => {
    request.resume();
    response.writeHead(status, headers).end(body);
  };

describe('guarantee 9: the sender', () => {
  it('posts the bytes and answers with status, Retry-After and the beginning of the body', async () => {
    const seen: string[] = [];
    const url = await serve((request, response) => {
      seen.push(`${request.method} ${request.url} ${String(request.headers['x-test'])}`);
      answer(429, 'slow down', { 'retry-after': '7' })(request, response);
    });
    await expect(createSender()(`${url}/a?b=1`)).resolves.toMatchObject({
      kind: 'response',
      status: 429,
      retryAfter: '7',
      body: 'slow down',
    });
    expect(seen).toEqual(['POST /a?b=1 1']);
  });

  it('follows no redirect', async () => {
    let followed = false;
    const target = await serve((request, response) => {
      followed = true;
      answer(200)(request, response);
    });
    const url = await serve(answer(302, '', { location: target }));
    await expect(createSender()(url)).resolves.toMatchObject({ kind: 'response', status: 302 });
    expect(followed).toBe(false);
  });

  it('reads no more of an endless body than it may, and goes by the status', async () => {
    const url = await serve((request, response) => {
      request.resume();
      response.writeHead(200);
      const chunk = Buffer.alloc(65_536, 'x');
      const more = (error?: Error | null): void => {
        if (error || response.destroyed) return;
        response.write(chunk, (failure) => setImmediate(more, failure));
      };
      more();
    });
    const result = await createSender({ maxResponseBytes: 1_000 })(url);
    expect(result).toMatchObject({ kind: 'response', status: 200, body: 'x'.repeat(1_000) });
    expect(result.durationMs).toBeLessThan(4_000);
  });

  it('has one deadline over headers and body: a body that drips does not stretch it', async () => {
    const url = await serve((request, response) => {
      request.resume();
      response.writeHead(200);
      const drip = setInterval(() => response.write('x'), 50);
      response.once('close', () => clearInterval(drip));
    });
    const result = await createSender({ timeoutMs: 500 })(url);
    expect(result).toMatchObject({ kind: 'response', status: 200, note: 'the body was not received whole' });
    expect(result.durationMs).toBeLessThan(2_000);
  });

  it('gives up an endpoint that never answers', async () => {
    const url = await serve((request) => void request.resume());
    const result = await createSender({ timeoutMs: 300 })(url);
    expect(result).toMatchObject({ kind: 'failure', code: 'TIMEOUT' });
  });

  it('tells an interruption by our own shutdown from a failure', async () => {
    const stop = new AbortController();
    const url = await serve((request) => {
      request.resume();
      stop.abort();
    });
    await expect(createSender()(url, stop.signal)).resolves.toMatchObject({ kind: 'interrupted' });
  });

  it('makes of any answer text that the database can hold, and unpacks nothing', async () => {
    const url = await serve(answer(200, Buffer.from([0x61, 0x00, 0xff, 0x62])));
    await expect(createSender()(url)).resolves.toMatchObject({ body: 'a\uFFFD\uFFFDb' });
    const bomb = await serve(answer(200, gzipSync(Buffer.alloc(5_000_000)), { 'content-encoding': 'gzip' }));
    const result = await createSender()(bomb);
    expect(result.kind === 'response' && result.body.length).toBeLessThan(16_385);
  });

  it('takes an answer of ten thousand redirects, header bytes that are none and a broken status line as what they are', async () => {
    const endless = await serve((request, response) => {
      answer(308, '', { location: request.url ?? '/' })(request, response);
    });
    await expect(createSender()(endless)).resolves.toMatchObject({ kind: 'response', status: 308 });
    const raw = async (bytes: Buffer): Promise<string> => {
      const server = createTcpServer((socket) => {
        socket.on('error', () => undefined);
        socket.once('data', () => socket.end(bytes));
      }).listen(0, '127.0.0.1');
      sockets.push(server);
      await new Promise((resolve) => server.once('listening', resolve));
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    };
    const badHeader = Buffer.from(
      'HTTP/1.1 200 OK\r\nx-bad: \x01\xff\x80\r\ncontent-length: 0\r\n\r\n',
      'latin1',
    );
    const result = await createSender()(await raw(badHeader));
    expect(result.kind === 'failure' || result.kind === 'response').toBe(true);
    await expect(createSender()(await raw(Buffer.from('no http at all\r\n\r\n')))).resolves.toMatchObject({
      kind: 'failure',
      code: 'CONNECTION',
    });
  });

  it('tries once more when an idle connection was closed at the moment of its use', async () => {
    let requests = 0;
    const url = await serve((request, response) => {
      requests += 1;
      // The second request finds a connection that is being closed, the third a new one.
      if (requests === 2) return void request.socket.destroy();
      answer(200)(request, response);
    });
    const send = createSender();
    await send(url);
    await expect(send(url)).resolves.toMatchObject({ kind: 'response', status: 200 });
    expect(requests).toBe(3);
  });

  it('tells why there was no connection', async () => {
    await expect(createSender()('http://127.0.0.1:1/')).resolves.toMatchObject({
      code: 'CONNECTION',
      detail: 'ECONNREFUSED',
    });
    await expect(createSender()('https://name.invalid/')).resolves.toMatchObject({ code: 'DNS' });
    const plain = await serve(answer(200));
    await expect(createSender()(plain.replace('http:', 'https:'))).resolves.toMatchObject({ code: 'TLS' });
  });
});

describe('guarantee 10: the address guard', () => {
  it('refuses literal addresses and names that lead to private ones, before anything is sent', async () => {
    let reached = false;
    const url = await serve((request, response) => {
      reached = true;
      answer(200)(request, response);
    });
    const { port } = new URL(url);
    const send = createSender({ allowed: [] });
    for (const host of [
      '127.0.0.1',
      'localhost',
      '2130706433',
      '0x7f.1',
      '[::ffff:127.0.0.1]',
      '0.0.0.0',
      '[::]',
    ]) {
      await expect(send(`http://${host}:${port}/`)).resolves.toMatchObject({
        kind: 'failure',
        code: 'ADDRESS_REFUSED',
      });
    }
    expect(reached).toBe(false);
  });

  const answering =
    (...addresses: string[]): Resolve =>
    () =>
      Promise.resolve(addresses.map((address) => ({ address, family: 4 })));

  it('refuses a name with one private address among public ones, and a name without any', async () => {
    const policy = createAddressPolicy([]);
    const check = (...addresses: string[]) =>
      createAddressCheck(policy, answering(...addresses)).check(new URL('https://example.com/'));
    await expect(check('8.8.8.8', '1.1.1.1')).resolves.toBe('permitted');
    await expect(check('8.8.8.8', '10.0.0.1')).resolves.toBe('refused');
    await expect(check()).resolves.toBe('refused');
  });

  it('judges the addresses that are connected to, so that a name which changes its mind gets nowhere', async () => {
    let asked = 0;
    let reached = false;
    const url = await serve((request, response) => {
      reached = true;
      answer(200)(request, response);
    });
    // Public when the subscription is checked, private when the connection is made.
    const rebinding: Resolve = () => {
      asked += 1;
      return Promise.resolve([{ address: asked === 1 ? '8.8.8.8' : '127.0.0.1', family: 4 }]);
    };
    const check = createAddressCheck(createAddressPolicy([]), rebinding);
    await expect(check.check(new URL('https://rebind.example/'))).resolves.toBe('permitted');
    const send = createSender({ allowed: [], resolve: rebinding });
    await expect(send(`http://rebind.example:${new URL(url).port}/`)).resolves.toMatchObject({
      code: 'ADDRESS_REFUSED',
    });
    expect([asked, reached]).toEqual([2, false]);
  });

  it('answers a lookup in both of the forms that sockets ask for', async () => {
    const guarded = createGuardedLookup(createAddressPolicy([]), answering('8.8.8.8', '1.1.1.1'));
    const ask = (all: boolean) =>
      new Promise((resolve) =>
        guarded('example.com', { all }, (error, address, family) => resolve([error, address, family])),
      );
    await expect(ask(false)).resolves.toEqual([null, '8.8.8.8', 4]);
    await expect(ask(true)).resolves.toMatchObject([
      null,
      [{ address: '8.8.8.8' }, { address: '1.1.1.1' }],
      undefined,
    ]);
  });
});
