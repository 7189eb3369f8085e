import type { Closable, Logger } from '@sluice/service-kit';
import { Partitioners } from 'kafkajs';
import type { Kafka, Message, Producer } from 'kafkajs';
import type { MessageSink, OutgoingMessage } from '../ports.js';

export interface KafkaSinkOptions {
  readonly kafka: Kafka;
  readonly log: Logger;
  /** Time limit of one batch, retries included. */
  readonly timeoutMs?: number;
}

/** The messages were not acknowledged in time; they may have arrived all the same. Send them again with the same id. */
export class NotAcknowledgedError extends Error {
  override readonly name = 'NotAcknowledgedError';
  readonly code: 'KAFKA_UNAVAILABLE' | 'KAFKA_QUEUE_FULL';

  constructor(code: NotAcknowledgedError['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

interface Waiting {
  readonly messages: readonly OutgoingMessage[];
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

const MAX_WAITING = 10_000;
// A batch for one partition must stay below the broker's limit of 1 MiB.
const MAX_BATCH_BYTES = 700_000;

/**
 * One request at a time, and whatever came in meanwhile goes with the next one: order is kept, and load makes larger
 * batches instead of a longer queue.
 */
export function createKafkaSink(options: KafkaSinkOptions): MessageSink & Closable {
  const producers = createProducerSlot(options);
  const waiting: Waiting[] = [];
  let draining: Promise<void> | undefined;

  const drain = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = takeBatch(waiting);
      try {
        await withTimeLimit(
          producers.publish(batch.flatMap(({ messages }) => messages)),
          options.timeoutMs ?? 15_000,
        );
        batch.forEach(({ resolve }) => resolve());
      } catch (cause) {
        options.log.error(
          { err: cause, messages: batch.length },
          'Kafka did not acknowledge; starting over with a new producer',
        );
        await producers.discard();
        const error = new NotAcknowledgedError('KAFKA_UNAVAILABLE', 'Kafka did not acknowledge in time', {
          cause,
        });
        batch.forEach(({ reject }) => reject(error));
      }
    }
  };

  return {
    name: 'kafka producer',
    send(messages) {
      if (messages.length === 0) return Promise.resolve();
      if (waiting.length >= MAX_WAITING) {
        return Promise.reject(
          new NotAcknowledgedError('KAFKA_QUEUE_FULL', `${MAX_WAITING} sends are waiting already`),
        );
      }
      return new Promise((resolve, reject) => {
        waiting.push({ messages, resolve, reject });
        draining ??= drain().finally(() => {
          draining = undefined;
        });
      });
    },
    async close() {
      await draining;
      await producers.discard();
    },
  };
}

function takeBatch(waiting: Waiting[]): Waiting[] {
  let bytes = 0;
  let count = 0;
  for (const { messages } of waiting) {
    bytes += messages.reduce((sum, { value }) => sum + (value?.length ?? 0) + 1_000, 0);
    if (count > 0 && bytes > MAX_BATCH_BYTES) break;
    count += 1;
  }
  return waiting.splice(0, count);
}

/**
 * Holds the producer. After a failed send it must not be used again: kafkajs gives the sequence numbers of a failed batch to
 * the next one, and a broker that did store the failed batch takes the next one for its repetition, acknowledges
 * it and drops it. A new producer has a new id and begins to count anew.
 */
function createProducerSlot({ kafka, log }: KafkaSinkOptions) {
  let current: Promise<Producer> | undefined;

  const connect = async (): Promise<Producer> => {
    const producer = kafka.producer({
      idempotent: true,
      maxInFlightRequests: 1,
      allowAutoTopicCreation: false,
      createPartitioner: Partitioners.DefaultPartitioner,
      retry: { initialRetryTime: 100, maxRetryTime: 2_000, retries: 5 },
    });
    await producer.connect();
    return producer;
  };

  return {
    async publish(messages: readonly OutgoingMessage[]): Promise<void> {
      current ??= connect();
      const producer = await current;
      await producer.sendBatch({ acks: -1, timeout: 10_000, topicMessages: groupByTopic(messages) });
    },
    async discard(): Promise<void> {
      const discarded = current;
      current = undefined;
      if (discarded === undefined) return;
      const disconnected = discarded.then((producer) => producer.disconnect());
      await withTimeLimit(disconnected, 2_000).catch((err: unknown) =>
        log.debug({ err }, 'a producer did not disconnect'),
      );
    },
  };
}

function groupByTopic(messages: readonly OutgoingMessage[]): { topic: string; messages: Message[] }[] {
  const topics = Map.groupBy(messages, ({ topic }) => topic);
  return [...topics].map(([topic, group]) => ({
    topic,
    messages: group.map(({ key, value, headers }) => ({ key, value, headers: { ...headers } })),
  }));
}

async function withTimeLimit<T>(work: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`not done within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}
