import { backoffDelay, pause } from '@sluice/service-kit';
import type { Logger } from '@sluice/service-kit';
import type { Consumer, EachBatchPayload, Kafka, KafkaMessage } from 'kafkajs';
import type { IncomingMessage, MessageHandler, MessageSource } from '../ports.js';

export interface KafkaSourceOptions {
  readonly kafka: Kafka;
  readonly topic: string;
  readonly groupId: string;
  readonly log: Logger;
  readonly random: () => number;
  /** Messages handed over at once. */
  readonly chunkSize?: number;
}

/** The consumer has stopped and will not start again by itself; the process must be restarted. */
export class ConsumerStoppedError extends Error {
  override readonly name = 'ConsumerStoppedError';
  readonly code = 'CONSUMER_STOPPED';
}

/**
 * Hands over messages in chunks and commits the offset of each chunk once it has been handled. A chunk that fails is tried
 * again in its place, with growing rests in which the group membership is kept alive: nothing is skipped.
 */
export function createKafkaSource(options: KafkaSourceOptions): MessageSource {
  return {
    async consume(handle, signal, beat) {
      if (signal.aborted) return;
      const consumer = options.kafka.consumer({
        groupId: options.groupId,
        sessionTimeout: 30_000,
        heartbeatInterval: 3_000,
        rebalanceTimeout: 60_000,
        // Also the longest time that a stop has to wait for a fetch.
        maxWaitTimeInMs: 500,
        allowAutoTopicCreation: false,
      });
      const crashed = untilCrash(consumer, options.log);
      // The fetch loop itself is what is watched: a consumer has been seen to stop fetching while its heartbeats went on.
      consumer.on(consumer.events.FETCH, () => beat());
      try {
        await consumer.connect();
        // A group without offsets starts with the oldest message: events sent before the first start are not lost.
        await consumer.subscribe({ topics: [options.topic], fromBeginning: true });
        await consumer.run({
          autoCommit: false,
          eachBatchAutoResolve: false,
          partitionsConsumedConcurrently: 3,
          eachBatch: (payload) => consumeBatch(payload, handle, { ...options, signal, beat }),
        });
        await Promise.race([crashed, untilAborted(signal)]);
      } finally {
        await consumer.disconnect();
      }
    },
  };
}

interface Consuming extends KafkaSourceOptions {
  readonly signal: AbortSignal;
  readonly beat: () => void;
}

async function consumeBatch(
  payload: EachBatchPayload,
  handle: MessageHandler,
  consuming: Consuming,
): Promise<void> {
  const { messages } = payload.batch;
  const size = consuming.chunkSize ?? 200;
  for (let start = 0; start < messages.length; start += size) {
    const chunk = messages.slice(start, start + size);
    const last = chunk.at(-1);
    if (last === undefined || !(await handleChunk(payload, chunk, { ...consuming, handle }))) return;
    payload.resolveOffset(last.offset);
    await payload.commitOffsetsIfNecessary(payload.uncommittedOffsets());
    await payload.heartbeat();
    consuming.beat();
  }
}

/** False when the chunk was given up because the consumer is stopping or lost the partition. */
async function handleChunk(
  payload: EachBatchPayload,
  chunk: readonly KafkaMessage[],
  { handle, signal, beat, log, random }: Consuming & { readonly handle: MessageHandler },
): Promise<boolean> {
  const { topic, partition } = payload.batch;
  const messages = chunk.map((message) => toIncoming(topic, partition, message));
  for (let attempt = 1; payload.isRunning() && !payload.isStale() && !signal.aborted; attempt += 1) {
    try {
      await handle(messages, () => payload.heartbeat());
      return true;
    } catch (err) {
      log.error(
        { err, partition, offset: chunk[0]?.offset, attempt },
        'messages could not be handled; trying again',
      );
    }
    // The loop lives and waits for something outside, which readiness tells of.
    beat();
    await pause(500 + backoffDelay(attempt, { initialMs: 500, capMs: 5_000, random }), signal);
    await payload.heartbeat();
  }
  return false;
}

function toIncoming(topic: string, partition: number, message: KafkaMessage): IncomingMessage {
  const { key, value, offset, headers } = message;
  return { topic, partition, offset, key, value, headers: headers ?? {} };
}

function untilCrash(consumer: Consumer, log: Logger): Promise<never> {
  const crashed = new Promise<never>((_resolve, reject) => {
    consumer.on(consumer.events.CRASH, ({ payload }) => {
      if (payload.restart) log.warn({ err: payload.error }, 'the consumer crashed and starts again');
      else
        reject(
          new ConsumerStoppedError('the consumer crashed and does not start again', { cause: payload.error }),
        );
    });
  });
  // It may crash before anyone waits; the one who waits later still gets the error.
  crashed.catch(() => undefined);
  return crashed;
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
