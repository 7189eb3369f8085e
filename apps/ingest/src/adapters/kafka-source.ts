import type { Consumer, EachBatchPayload, Kafka, KafkaMessage } from 'kafkajs';
import { backoffDelay, pause, type Logger, type Worker } from '@sluice/service-kit';
import { mostPaymentsPerRun } from '../phase-a.js';
import type { IncomingMessage } from '../request-message.js';
import type { TakeRequests } from '../take-requests.js';

export interface KafkaSourceOptions {
  readonly kafka: Kafka;
  readonly topic: string;
  readonly groupId: string;
  readonly take: TakeRequests;
  readonly log: Logger;
  readonly random: () => number;
  readonly observe: (event: 'paused' | 'restarted') => void;
  /** A consumer that has not fetched for so long is thrown away and made anew. */
  readonly stallMs?: number;
}

class ConsumerStalledError extends Error {
  override readonly name = 'ConsumerStalledError';
  readonly code = 'CONSUMER_STALLED';
}

/**
 * Consumes the topic in chunks and commits the offset of a chunk when its payments are in Temporal's hands. A partition
 * whose payments cannot be taken rests, with growing pauses, while the others go on. kafkajs consumers have been seen to
 * stop without a word, so a watchdog looks at their fetches and puts a new one in the place of one that stalled or died.
 */
export function kafkaSource(options: KafkaSourceOptions): Worker {
  const { log, stallMs = 60_000 } = options;
  return {
    name: 'request-intake',
    maxBeatMs: 3 * stallMs,
    async run(signal, beat) {
      for (let attempt = 1; !signal.aborted; attempt += 1) {
        beat();
        const startedAt = Date.now();
        try {
          await consume({ ...options, stallMs, signal, beat });
        } catch (err) {
          if (signal.aborted) return;
          if (Date.now() - startedAt > 5 * stallMs) attempt = 1;
          options.observe('restarted');
          log.error({ err, attempt }, 'the consumer of payment requests ended; a new one is made');
          await pause(
            backoffDelay(attempt, { initialMs: 500, capMs: 15_000, random: options.random }),
            signal,
          );
        }
      }
    },
  };
}

interface Consuming extends KafkaSourceOptions {
  readonly stallMs: number;
  readonly signal: AbortSignal;
  readonly beat: () => void;
}

async function consume(consuming: Consuming): Promise<void> {
  const { kafka, topic, groupId, signal, stallMs } = consuming;
  const consumer = kafka.consumer({
    groupId,
    sessionTimeout: 30_000,
    heartbeatInterval: 3000,
    rebalanceTimeout: 60_000,
    // A fetch waits this long for more, so that under load chunks are full; it is also the longest that a stop waits.
    maxWaitTimeInMs: 250,
    minBytes: 16_384,
    maxBytesPerPartition: 524_288,
    allowAutoTopicCreation: false,
  });
  let fetchedAt = Date.now();
  const ended = untilCrash(consumer);
  consumer.on(consumer.events.FETCH, () => {
    fetchedAt = Date.now();
    consuming.beat();
  });
  const rests = new Map<number, number>();
  try {
    await consumer.connect();
    // A group without offsets starts with the oldest message: payments sent before the first start are not lost.
    await consumer.subscribe({ topics: [topic], fromBeginning: true });
    await consumer.run({
      autoCommit: false,
      eachBatchAutoResolve: false,
      partitionsConsumedConcurrently: 3,
      eachBatch: (payload) => takeBatch(payload, consuming, rests),
    });
    await Promise.race([ended, untilStalled(() => Date.now() - fetchedAt > stallMs, signal)]);
  } finally {
    await consumer.disconnect();
  }
}

async function takeBatch(
  payload: EachBatchPayload,
  consuming: Consuming,
  rests: Map<number, number>,
): Promise<void> {
  const { messages, partition } = payload.batch;
  for (let start = 0; start < messages.length; start += mostPaymentsPerRun) {
    if (!payload.isRunning() || payload.isStale() || consuming.signal.aborted) return;
    const chunk = messages.slice(start, start + mostPaymentsPerRun);
    const last = chunk.at(-1);
    if (last === undefined) return;
    if (!(await takeChunk(payload, chunk, consuming))) return restPartition(payload, consuming, rests);
    rests.delete(partition);
    payload.resolveOffset(last.offset);
    await payload.commitOffsetsIfNecessary(payload.uncommittedOffsets());
    await payload.heartbeat();
    consuming.beat();
  }
}

async function takeChunk(
  { batch: { topic, partition } }: EachBatchPayload,
  chunk: readonly KafkaMessage[],
  { take, log }: Consuming,
): Promise<boolean> {
  const place = { partition, offset: chunk[0]?.offset };
  try {
    const taking = await take(chunk.map((message) => toIncoming(topic, partition, message)));
    if (taking.kind === 'done') return true;
    log.warn({ err: taking.cause, ...place }, 'payments cannot be taken in; the partition rests');
  } catch (err) {
    log.error({ err, ...place }, 'messages could not be taken; the partition rests');
  }
  return false;
}

/** Nothing is fetched from the partition until the pause is over; its messages then come again from the first open one. */
function restPartition(payload: EachBatchPayload, consuming: Consuming, rests: Map<number, number>): void {
  const { partition } = payload.batch;
  const attempt = (rests.get(partition) ?? 0) + 1;
  rests.set(partition, attempt);
  consuming.observe('paused');
  const resume = payload.pause();
  const ms = 200 + backoffDelay(attempt, { initialMs: 300, capMs: 10_000, random: consuming.random });
  void pause(ms, consuming.signal).then(resume);
}

function toIncoming(topic: string, partition: number, message: KafkaMessage): IncomingMessage {
  const { key, value, offset, headers } = message;
  return { topic, partition, offset, key, value, headers: headers ?? {} };
}

function untilCrash(consumer: Consumer): Promise<never> {
  const crashed = new Promise<never>((_resolve, reject) => {
    consumer.on(consumer.events.CRASH, ({ payload }) => {
      // With `restart` kafkajs starts it again itself; if that comes to nothing the watchdog sees it.
      if (!payload.restart) reject(payload.error);
    });
  });
  // It may crash before anyone waits; the one who waits later still gets the error.
  crashed.catch(() => undefined);
  return crashed;
}

/** Resolves when the signal aborts, rejects when the consumer has stalled. */
async function untilStalled(isStalled: () => boolean, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    if (isStalled()) throw new ConsumerStalledError('the consumer has not fetched for too long');
    await pause(1000, signal);
  }
}
