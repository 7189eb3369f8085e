import { createLogger } from '@sluice/service-kit';
import { connectKafka, topicsCheck } from './adapters/kafka-client.js';
import { createDeadLetterSource } from './adapters/kafka-dead-letters.js';
import { createPositionReader } from './adapters/kafka-positions.js';
import { createKafkaSink } from './adapters/kafka-sink.js';
import { redriveDeadLetters } from './redrive-dead-letters.js';
import { until } from './testing/until.js';

const log = createLogger({ service: 'test', level: 'silent' });
const name = process.env.TEST_NAME ?? 'test';
const kafka = connectKafka({ brokers: (process.env.KAFKA_BROKERS ?? '').split(','), clientId: name, log });
const topics = { topic: `${name}.events`, deadLetterTopic: `${name}.events.dlq` };
const sink = createKafkaSink({ kafka, log });
const source = createDeadLetterSource({ kafka, topic: topics.deadLetterTopic, groupId: `${name}.redrive` });

beforeAll(() => topicsCheck(kafka, { ...topics, partitions: 1 }).check());
afterAll(() => sink.close());

const letter = (value: string, reason: string) => ({
  topic: topics.deadLetterTopic,
  key: 'k',
  value: Buffer.from(value),
  headers: { trace: 'abc', dlq_reason: reason, dlq_detail: 'd', dlq_source_topic: topics.topic },
});
const redrive = (changes: object = {}) =>
  redriveDeadLetters({ source, sink, topic: topics.topic, dryRun: false, limit: 100, ...changes });

async function redriven(): Promise<{ value: string; headers: Record<string, string> }[]> {
  const consumer = kafka.consumer({ groupId: `${name}-reader-${performance.now()}` });
  const reader = createPositionReader({ kafka, topic: topics.topic, groupId: 'none' });
  const end = (await reader.read())[0]?.end ?? 0n;
  await reader.close();
  const found: { value: string; headers: Record<string, string> }[] = [];
  if (end === 0n) return found;
  await consumer.connect();
  await consumer.subscribe({ topics: [topics.topic], fromBeginning: true });
  await consumer.run({
    eachMessage: async ({ message }) => {
      const headers = Object.entries(message.headers ?? {}).map(([key, value]) => [key, String(value)]);
      found.push({
        value: String(message.value),
        headers: Object.fromEntries(headers) as Record<string, string>,
      });
    },
  });
  await until('all messages', () => (BigInt(found.length) >= end ? true : undefined));
  await consumer.disconnect();
  return found;
}

describe('redriving dead letters', () => {
  it('changes nothing in a dry run, then sends each once and as it was, and counts how often', async () => {
    await sink.send([letter('a', 'NOT_JSON'), letter('b', 'EVENT_ID_CONFLICT')]);
    const byReason = { NOT_JSON: 1, EVENT_ID_CONFLICT: 1 };
    expect(await redrive({ dryRun: true })).toEqual({ read: 2, redriven: 2, byReason });
    expect(await redriven()).toEqual([]);
    expect(await redrive({ reason: 'NOT_JSON' })).toEqual({ read: 2, redriven: 1, byReason });
    expect(await redriven()).toEqual([{ value: 'a', headers: { trace: 'abc', dlq_redrives: '1' } }]);
    expect(await redrive()).toEqual({ read: 0, redriven: 0, byReason: {} });
  });

  it('takes no more than it was told to', async () => {
    await sink.send([letter('c', 'NOT_JSON'), letter('d', 'NOT_JSON'), letter('e', 'NOT_JSON')]);
    expect(await redrive({ limit: 2 })).toMatchObject({ read: 2, redriven: 2 });
    expect(await redrive()).toMatchObject({ read: 1, redriven: 1 });
    expect((await redriven()).map(({ value }) => value)).toEqual(['a', 'c', 'd', 'e']);
  });
});
