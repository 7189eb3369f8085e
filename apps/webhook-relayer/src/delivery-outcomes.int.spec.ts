import { Webhook } from 'standardwebhooks';
import { startRelayer } from './testing/relayer.js';
import type { Relayer } from './testing/relayer.js';
import { createScene } from './testing/scene.js';
import { until } from './testing/until.js';

const name = process.env.TEST_NAME ?? 'test';
let relayer: Relayer;
const { subscribe, post, finished, attempts, deliveriesOf } = createScene(() => relayer, name);

beforeAll(async () => {
  relayer = await startRelayer({ name });
});
afterAll(() => relayer.close());

describe('a delivery', () => {
  it('is tried again after a 500, with the same id and a signature of its own time', async () => {
    const { type, hook, secret } = await subscribe();
    await hook.behave({ status: 500, body: 'broken', times: 1 });
    const id = await post({ type });
    expect(await finished(id)).toMatchObject({ status: 'delivered', deliveries: [{ attempts: 2 }] });
    const lines = await hook.received();
    expect(lines.map(({ status }) => status)).toEqual([500, 200]);
    expect(lines.map(({ headers }) => headers['webhook-id'])).toEqual([id, id]);
    for (const line of lines) new Webhook(secret).verify(line.body, line.headers);
    expect(await attempts(id)).toMatchObject([
      { outcome: 'retry', statusCode: 500, responseBody: 'broken' },
      { outcome: 'delivered', statusCode: 200 },
    ]);
  });

  it('fails at once when the endpoint refuses it, and holds up no other subscription', async () => {
    const refusing = await subscribe();
    await refusing.hook.behave({ status: 404 });
    await subscribe({ eventTypes: [refusing.type] });
    const event = await finished(await post({ type: refusing.type }));
    expect(event['status']).toBe('failed');
    const ends = deliveriesOf(event).map((one) => `${one.status} ${one.attempts}`);
    expect(ends.sort()).toEqual(['delivered 1', 'failed 1']);
  });

  it('that meets a 410 disables its subscription, which then gets nothing more', async () => {
    const { id, type, hook } = await subscribe();
    await hook.behave({ status: 410 });
    await finished(await post({ type }));
    expect((await relayer.call(`GET /subscriptions/${id}`)).body).toMatchObject({
      status: 'disabled',
      statusReason: 'GONE',
    });
    expect(await finished(await post({ type }))).toMatchObject({ deliveries: [] });
    expect(await hook.received()).toHaveLength(1);
  });
});

describe('a message that is no event', () => {
  it('becomes a dead letter with its bytes, its headers and the reason, and the intake goes on', async () => {
    const { type } = await subscribe();
    const { sink, kafka } = relayer.outside;
    const { topic, deadLetterTopic } = relayer.topics;
    const value = Buffer.from([0x7b, 0xff, 0x00]);
    await sink.send([{ topic, key: 'bad', value, headers: { trace: 'abc' } }]);
    await finished(await post({ type, subject: 'bad' }));

    const consumer = kafka.consumer({ groupId: `${name}-dlq` });
    const letters: { value: Buffer | null; headers: Record<string, string> }[] = [];
    await consumer.connect();
    await consumer.subscribe({ topics: [deadLetterTopic], fromBeginning: true });
    await consumer.run({
      eachMessage: async ({ message }) => {
        const headers = Object.entries(message.headers ?? {}).map(([key, text]) => [key, String(text)]);
        letters.push({
          value: message.value,
          headers: Object.fromEntries(headers) as Record<string, string>,
        });
      },
    });
    const letter = await until('the dead letter', () => letters[0]);
    await consumer.disconnect();
    expect(letter.value).toEqual(value);
    expect(letter.headers).toMatchObject({ trace: 'abc', dlq_reason: 'NOT_UTF8', dlq_source_topic: topic });
    expect(letter.headers['dlq_source_offset']).toMatch(/^\d+$/);
  });
});
