import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { startRelayer } from '../testing/relayer.js';

const name = process.env.TEST_NAME ?? 'test';
const sockets = new Set<Socket>();
let silent: Server;

/** Takes connections and never says a word, as a broker does that hangs. */
beforeAll(async () => {
  silent = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
  });
  silent.listen(0, '127.0.0.1');
  await once(silent, 'listening');
});

/** What waits for it is told that there is nobody, and gives up sooner. */
function hangUp(): void {
  for (const socket of sockets) socket.destroy();
  silent.close();
}

afterAll(hangUp);

const silentAddress = () => `127.0.0.1:${(silent.address() as AddressInfo).port}`;
const event = { type: 'a.b', source: 'shop', data: {} };

describe('when Kafka does not answer', () => {
  it('POST /events says 503 in time, when to come back and under which id', async () => {
    const variables = { KAFKA_BROKERS: silentAddress() };
    const relayer = await startRelayer({ name, workers: false, variables, publishTimeLimitMs: 500 });
    try {
      const { status, headers, body } = await relayer.call('POST /events', event);
      expect(status).toBe(503);
      expect(headers.get('retry-after')).toMatch(/^\d+$/);
      expect(body).toMatchObject({
        code: 'EVENT_NOT_ACKNOWLEDGED',
        eventId: expect.stringMatching(/^evt_/) as string,
      });
      // The id is kept for these bytes, and for no others.
      const again = { headers: { 'idempotency-key': String(body['eventId']) } };
      expect((await relayer.call('POST /events', { ...event, data: { other: 1 } }, again)).status).toBe(409);
      expect((await relayer.call('POST /events', event, again)).status).toBe(503);
      // The rest of the API does not need Kafka.
      expect((await relayer.call('GET /subscriptions')).status).toBe(200);
    } finally {
      hangUp();
      await relayer.close();
    }
  });
});

describe('when Kafka answers', () => {
  it('an event is in the topic by the time that POST /events says 202', async () => {
    const relayer = await startRelayer({ name, workers: false });
    const admin = relayer.outside.kafka.admin();
    try {
      await admin.connect();
      const { topic } = relayer.topics;
      await admin.createTopics({ topics: [{ topic, numPartitions: 1 }], waitForLeaders: true });
      for (const count of [1, 2, 3]) {
        expect((await relayer.call('POST /events', event)).status).toBe(202);
        expect(await admin.fetchTopicOffsets(topic)).toMatchObject([{ high: String(count) }]);
      }
    } finally {
      await admin.disconnect();
      await relayer.close();
    }
  });
});

describe('when PostgreSQL does not answer', () => {
  it('the API says 503 and when to come back, and nothing of the inside', async () => {
    const variables = { PG_URL: 'postgres://postgres:wrong-password@127.0.0.1:1/none' };
    const relayer = await startRelayer({ name, workers: false, variables });
    try {
      const requests: [string, object?][] = [
        ['GET /subscriptions'],
        ['GET /events/e1'],
        ['GET /deliveries'],
        ['POST /events', { ...event, id: 'e1' }],
        ['POST /subscriptions', { url: 'https://192.0.43.8/', eventTypes: ['*'] }],
        ['POST /subscriptions/sub_1/rotate-secret', {}],
      ];
      for (const [request, content] of requests) {
        const { status, headers, body } = await relayer.call(request, content);
        expect([status, body['code']]).toEqual([503, 'STORE_UNAVAILABLE']);
        expect(headers.get('retry-after')).toBe('5');
        expect(JSON.stringify(body)).not.toMatch(/wrong-password|ECONN|127\.0\.0\.1/);
      }
    } finally {
      await relayer.close();
    }
  });
});
