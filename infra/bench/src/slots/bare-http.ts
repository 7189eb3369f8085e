import { waitUntilReady, type Stack } from '@sluice/local';
import { callers, eventIdsOf, inLanes } from './contender.js';
import { connectSlotRequests } from './slot-requests.js';

const startsWithinMs = 20_000;
const warmUp = 2_000;

/** Requests a second that the same callers get from a server that does nothing: the ceiling of one by one over HTTP. */
export async function measureBareHttp(stack: Stack, requests: number): Promise<number> {
  const port = stack.ports.services['slot-assigner'].http;
  const url = `http://127.0.0.1:${port}`;
  const server = stack.spawnOwned({
    name: 'bare-server',
    command: process.execPath,
    args: [require.resolve('./bare-server.js'), String(port)],
    env: {},
  });
  await waitUntilReady({
    title: 'a bare HTTP server',
    process: server,
    withinMs: startsWithinMs,
    probe: async () => void (await fetch(url, { signal: AbortSignal.timeout(2_000) })),
  });
  const connection = connectSlotRequests(url, callers);
  await inLanes(callers, eventIdsOf(warmUp, 'warm'), (eventId) => connection.one(eventId));
  const began = performance.now();
  await inLanes(callers, eventIdsOf(requests, 'event'), (eventId) => connection.one(eventId));
  const ms = performance.now() - began;
  await connection.close();
  await server.stop();
  return (requests * 1000) / ms;
}
