import { createServer } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { railProfiles } from '../rails/rail-profiles.js';
import { httpGateway } from './http-rail.js';
import type { HttpGateway } from './http-rail.js';

const order = { key: 'ins-1', body: { instructionId: 'ins-1' } };
const timeoutMs = 300;

let server: Server;
let gateway: HttpGateway;
let answer: RequestListener;

beforeAll(async () => {
  server = createServer((request, response) => answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  gateway = httpGateway({ url: `http://127.0.0.1:${port}`, timeoutMs, connections: 4 });
});

afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await gateway.close();
});

const send = (signal = AbortSignal.timeout(10_000)) =>
  gateway.rail('SEPA', railProfiles.SEPA).send(order, signal);

it('carries the key and the order, and reads what the rail says', async () => {
  let seen: unknown;
  answer = (request, response) => {
    seen = [request.method, request.url, request.headers['idempotency-key']];
    response.writeHead(429, { 'retry-after': '7' }).end('{"code":"RATE_LIMITED","detail":"slow down"}');
  };
  expect(await send()).toEqual({ httpStatus: 429, word: 'RATE_LIMITED', retryAfterMs: 7_000 });
  expect(seen).toEqual(['POST', '/rails/SEPA/instructions', 'ins-1']);
});

it('asks for the status by the key', async () => {
  let path: string | undefined;
  answer = (request, response) => {
    path = request.url;
    response.end('{"status":"EXECUTED","reference":"R-1"}');
  };
  const asked = await gateway.rail('ACH', railProfiles.ACH).status?.('a/b', AbortSignal.timeout(10_000));
  expect(asked).toMatchObject({ httpStatus: 200, word: 'EXECUTED', reference: 'R-1' });
  expect(path).toBe('/rails/ACH/instructions/a%2Fb');
});

it('has no status query for a rail that answers none', () => {
  const silent = { recognisesKeys: true, answersStatus: false, finalOnExecution: true };
  expect(gateway.rail('WIRE', silent).status).toBeUndefined();
});

it('gives up when the whole answer takes too long, also when it began in time and never ends', async () => {
  answer = (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const dribble = setInterval(() => response.write(' '), 20);
    response.on('close', () => clearInterval(dribble));
  };
  expect(await send()).toEqual({ failure: 'RAIL_TIMEOUT' });
});

it('gives up when the caller does', async () => {
  const caller = new AbortController();
  answer = () => caller.abort();
  expect(await send(caller.signal)).toEqual({ failure: 'RAIL_CALL_ABORTED' });
});

it.each([
  ['more than an answer may be', `{"status":"EXECUTED","filler":"${'x'.repeat(100_000)}"}`],
  ['no JSON', 'EXECUTED'],
  ['words of the wrong type', '{"status":true}'],
])('does not believe %s', async (_what, body) => {
  answer = (_request, response) => response.end(body);
  expect(await send()).toMatchObject({ httpStatus: 200, word: '' });
});

it('tells a connection that was dropped from one that was never made', async () => {
  answer = (request) => request.socket.destroy();
  expect(await send()).toEqual({ failure: 'UND_ERR_SOCKET' });
  const nobody = httpGateway({ url: 'http://127.0.0.1:1', timeoutMs, connections: 1 });
  const refused = await nobody.rail('SEPA', railProfiles.SEPA).send(order, AbortSignal.timeout(10_000));
  expect(refused).toEqual({ failure: 'ECONNREFUSED' });
  await nobody.close();
});
