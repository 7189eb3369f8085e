import { setTimeout as sleep } from 'node:timers/promises';
import { createLogger } from '@sluice/service-kit';
import { Registry } from 'prom-client';
import { createMetrics } from '../metrics.js';
import type { IncomingMessage, MessageHandler, OutgoingMessage } from '../ports.js';
import { connectKafka, ensureTopics, kafkaDependency, topicsCheck } from './kafka-client.js';
import { createKafkaSink } from './kafka-sink.js';
import { createKafkaSource } from './kafka-source.js';

const log = createLogger({ service: 'test', level: 'silent' });
const brokers = (process.env.KAFKA_BROKERS ?? '').split(',');
const testName = process.env.TEST_NAME ?? 'test';
const kafka = connectKafka({ brokers, clientId: testName, log });
const metrics = createMetrics(new Registry());
const never = new AbortController().signal;

async function until(condition: () => boolean): Promise<void> {
  const deadline = Date.now() + 40_000;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error('the condition was not met in time');
    await sleep(20);
  }
}

function message(topic: string, key: string, value: string): OutgoingMessage {
  return { topic, key, value: Buffer.from(value), headers: { ce_id: value } };
}

interface Consuming {
  readonly topic: string;
  readonly groupId: string;
  /** messages to wait for */
  readonly count: number;
  readonly before?: MessageHandler;
}

/** Consumes until so many messages were handled; answers with their values in that order. */
async function consume({ topic, groupId, count, before }: Consuming) {
  const values: string[] = [];
  let beats = 0;
  const stop = new AbortController();
  const source = createKafkaSource({ kafka, topic, groupId, metrics, log, random: () => 0, chunkSize: 3 });
  const handle: MessageHandler = async (messages, heartbeat) => {
    await before?.(messages, heartbeat);
    values.push(...messages.map(({ value }) => String(value)));
  };
  const consuming = source.consume(handle, stop.signal, () => (beats += 1));
  try {
    await Promise.race([until(() => values.length >= count), consuming]);
  } finally {
    stop.abort();
    await consuming;
  }
  return { values, beats };
}

describe('topics', () => {
  it('are created when they are missing, and left alone when they are there', async () => {
    const names = { topic: `${testName}.made`, deadLetterTopic: `${testName}.made.dlq` };
    await expect(topicsCheck(kafka, { ...names, partitions: 2 }).check()).resolves.toEqual([]);
    await expect(topicsCheck(kafka, { ...names, partitions: 5 }).check()).resolves.toEqual([]);
    const admin = kafka.admin();
    await admin.connect();
    const { topics } = await admin.fetchTopicMetadata({ topics: Object.values(names) });
    await admin.disconnect();
    expect(topics.map(({ name, partitions }) => [name, partitions.length]).sort()).toEqual([
      [names.topic, 2],
      [names.deadLetterTopic, 1],
    ]);
  });
});

describe('sink and source', () => {
  it('carry messages with their headers, in order for each key', async () => {
    const topic = `${testName}.order`;
    await ensureTopics(kafka, [{ topic, partitions: 3 }]);
    const sink = createKafkaSink({ kafka, log });
    const sends = Array.from({ length: 30 }, (_, at) =>
      sink.send([message(topic, `key-${at % 5}`, `${at % 5}:${at}`)]),
    );
    await Promise.all(sends);
    await sink.close();
    const received: IncomingMessage[] = [];
    const { values, beats } = await consume({
      topic,
      groupId: `${testName}-order`,
      count: 30,
      async before(messages, heartbeat) {
        received.push(...messages);
        await heartbeat();
      },
    });
    expect(values).toHaveLength(30);
    for (let key = 0; key < 5; key += 1) {
      const ofKey = values
        .filter((value) => value.startsWith(`${key}:`))
        .map((value) => Number(value.slice(2)));
      expect(ofKey).toEqual([...ofKey].sort((a, b) => a - b));
    }
    const [first] = received;
    expect(String(first?.headers['ce_id'])).toBe(String(first?.value));
    expect(String(first?.key)).toMatch(/^key-\d$/);
    expect(beats).toBeGreaterThan(0);
  });

  it('hands messages over again after a failure, skips none, and goes on after a restart where it had committed', async () => {
    const topic = `${testName}.again`;
    await ensureTopics(kafka, [{ topic, partitions: 1 }]);
    const sink = createKafkaSink({ kafka, log });
    await sink.send(['a', 'b', 'c', 'd', 'e'].map((value) => message(topic, 'k', value)));
    let failures = 0;
    const groupId = `${testName}-again`;
    const first = await consume({
      topic,
      groupId,
      count: 5,
      async before(messages) {
        if (failures === 2 || messages.every(({ value }) => String(value) !== 'd')) return;
        failures += 1;
        throw new Error('the database is away');
      },
    });
    expect(failures).toBe(2);
    expect(first.values).toEqual(['a', 'b', 'c', 'd', 'e']);
    await sink.send([message(topic, 'k', 'f')]);
    await sink.close();
    const second = await consume({ topic, groupId, count: 1 });
    expect(second.values).toEqual(['f']);
  });

  it('stop at once when there is nothing to wait for', async () => {
    const source = createKafkaSource({ kafka, topic: 't', groupId: 'g', metrics, log, random: () => 0 });
    await source.consume(
      () => Promise.resolve(),
      AbortSignal.abort(),
      () => undefined,
    );
    await createKafkaSink({ kafka, log }).close();
  });
});

describe('without Kafka', () => {
  const away = connectKafka({ brokers: ['127.0.0.1:1'], clientId: 'test', log });

  it('a send fails within its limit, and so do those that wait behind it', async () => {
    const sink = createKafkaSink({ kafka: away, log, timeoutMs: 300 });
    const sends = await Promise.allSettled([
      sink.send([message('t', 'k', 'a')]),
      sink.send([message('t', 'k', 'b')]),
    ]);
    expect(sends).toMatchObject([
      { reason: { code: 'KAFKA_UNAVAILABLE' } },
      { reason: { code: 'KAFKA_UNAVAILABLE' } },
    ]);
    await sink.close();
  });

  it('the dependency is not ready', async () => {
    await expect(kafkaDependency(away).check(never)).rejects.toThrow();
    await expect(kafkaDependency(kafka).check(never)).resolves.toBeUndefined();
  });
});
