import { createLogger } from '@sluice/service-kit';
import type { Kafka, ProducerBatch } from 'kafkajs';
import type { OutgoingMessage } from '../ports.js';
import { createKafkaSink } from './kafka-sink.js';

/** A client that keeps what each of its producers was told to send, and answers as the test says. */
function createRecordingKafka(answer: (batchNo: number) => Promise<void>) {
  const producers: { sent: string[][]; disconnected: boolean }[] = [];
  let batches = 0;
  const producer = () => {
    const record = { sent: [] as string[][], disconnected: false };
    producers.push(record);
    return {
      connect: () => Promise.resolve(),
      disconnect: async () => void (record.disconnected = true),
      async sendBatch({ topicMessages = [] }: ProducerBatch) {
        record.sent.push(topicMessages.flatMap(({ messages }) => messages.map(({ value }) => String(value))));
        await answer((batches += 1));
      },
    };
  };
  return { kafka: { producer } as unknown as Kafka, producers };
}

const log = createLogger({ service: 'test', level: 'silent' });
const message = (value: string): OutgoingMessage => ({
  topic: 't',
  key: 'k',
  value: Buffer.from(value),
  headers: {},
});

describe('createKafkaSink', () => {
  it('sends one batch at a time, and all that came meanwhile with the next, in order', async () => {
    const { kafka, producers } = createRecordingKafka(() => Promise.resolve());
    const sink = createKafkaSink({ kafka, log });
    await Promise.all(['a', 'b', 'c', 'd'].map((value) => sink.send([message(value)])));
    expect(producers.map(({ sent }) => sent)).toEqual([[['a'], ['b', 'c', 'd']]]);
    await sink.close();
    expect(producers.every(({ disconnected }) => disconnected)).toBe(true);
  });

  it('never uses a producer again after a failed batch', async () => {
    const { kafka, producers } = createRecordingKafka((batchNo) =>
      batchNo === 1 ? Promise.reject(new Error('no answer')) : Promise.resolve(),
    );
    const sink = createKafkaSink({ kafka, log });
    const first = sink.send([message('a')]);
    const second = sink.send([message('b')]);
    await expect(first).rejects.toMatchObject({ code: 'KAFKA_UNAVAILABLE' });
    await second;
    expect(producers).toEqual([
      { sent: [['a']], disconnected: true },
      { sent: [['b']], disconnected: false },
    ]);
    await sink.close();
  });

  it('gives up a batch that is not acknowledged in time', async () => {
    const { kafka } = createRecordingKafka(() => new Promise(() => undefined));
    const sink = createKafkaSink({ kafka, log, timeoutMs: 10 });
    await expect(sink.send([message('a')])).rejects.toMatchObject({ code: 'KAFKA_UNAVAILABLE' });
  });

  it('keeps a batch below the limit of the broker', async () => {
    const { kafka, producers } = createRecordingKafka(() => Promise.resolve());
    const sink = createKafkaSink({ kafka, log });
    const large = 'x'.repeat(250_000);
    await Promise.all(['a', large, large, large, large].map((value) => sink.send([message(value)])));
    expect(producers[0]?.sent.map((batch) => batch.length)).toEqual([1, 2, 2]);
    await sink.close();
  });
});
