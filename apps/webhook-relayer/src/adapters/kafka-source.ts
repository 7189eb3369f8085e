import { backoffDelay, pause } from '@sluice/service-kit';
import type { Logger } from '@sluice/service-kit';
import type { Consumer, EachBatchPayload, Kafka, KafkaMessage } from 'kafkajs';
import type { Metrics } from '../metrics.js';
import type { IncomingMessage, MessageHandler, MessageSource } from '../ports.js';
import { createProgressWatch, totalLag } from '../watch-progress.js';
import { createPositionReader } from './kafka-positions.js';
import { createOffsetCommits } from './offset-commits.js';
import type { OffsetCommits } from './offset-commits.js';

export interface KafkaSourceOptions {
  readonly kafka: Kafka;
  readonly topic: string;
  readonly groupId: string;
  readonly metrics: Pick<Metrics, 'consumerLag' | 'consumerRestarts'>;
  readonly log: Logger;
  readonly random: () => number;
  /** Messages handed over at once. */
  readonly chunkSize?: number;
  /** How long a partition with messages may stand still before the consumer is started anew. Default 60 s. */
  readonly patienceMs?: number;
  /** Default 10 s. */
  readonly watchIntervalMs?: number;
}

/** The consumer has stopped and will not start again by itself; the process must be restarted. */
export class ConsumerStoppedError extends Error {
  override readonly name = 'ConsumerStoppedError';
  readonly code = 'CONSUMER_STOPPED';
}

/** What chunks under way have to finish when the consumer stops; what takes longer comes again. */
const FINISH_MS = 5_000;

interface Consuming extends KafkaSourceOptions {
  readonly handle: MessageHandler;
  readonly signal: AbortSignal;
  readonly beat: () => void;
  /** Partitions whose messages are being handled. */
  readonly busy: Set<number>;
}

interface ConsumingBatch extends Consuming {
  readonly commits: Pick<OffsetCommits, 'note'>;
}

/**
 * Hands over messages in chunks and commits their offsets soon after they have been handled. A chunk that fails is tried
 * again in its place, with growing rests in which the group membership is kept alive: nothing is skipped. A consumer that
 * stands still although there are messages is replaced.
 */
export function createKafkaSource(options: KafkaSourceOptions): MessageSource {
  return {
    async consume(handle, signal, beat) {
      while (!signal.aborted) {
        const ended = await consumeOnce({ ...options, handle, signal, beat, busy: new Set() });
        if (ended === 'stuck') options.metrics.consumerRestarts.inc();
      }
    },
  };
}

async function consumeOnce(consuming: Consuming): Promise<'aborted' | 'stuck'> {
  const { kafka, topic, groupId, log, signal, beat } = consuming;
  const consumer = kafka.consumer({
    groupId,
    // After so long the partitions of an instance that died go to another one. One that was only slow and is thrown out for it
    // does no harm: what it stored is recognised by its ids.
    sessionTimeout: 10_000,
    heartbeatInterval: 2_000,
    rebalanceTimeout: 60_000,
    // Also the longest time that a stop has to wait for a fetch.
    maxWaitTimeInMs: 500,
    allowAutoTopicCreation: false,
  });
  const crashed = untilCrash(consumer, log);
  const assigned = new Set<number>();
  consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
    assigned.clear();
    for (const partition of payload.memberAssignment[topic] ?? []) assigned.add(partition);
  });
  consumer.on(consumer.events.FETCH, () => beat());
  const watching = new AbortController();
  const commits = createOffsetCommits({ consumer, topic, log });
  let committing = Promise.resolve();
  try {
    await consumer.connect();
    // A group without offsets starts with the oldest message: events sent before the first start are not lost.
    await consumer.subscribe({ topics: [topic], fromBeginning: true });
    await consumer.run({
      autoCommit: false,
      eachBatchAutoResolve: false,
      // Their handler gathers what it gets from several partitions.
      partitionsConsumedConcurrently: 16,
      eachBatch: (payload) => consumeBatch(payload, { ...consuming, commits }),
    });
    committing = commits.run(watching.signal);
    const untilStuck = watchProgress(consuming, assigned, AbortSignal.any([signal, watching.signal]));
    await Promise.race([crashed, untilStuck]);
    return signal.aborted ? 'aborted' : 'stuck';
  } finally {
    // What is being handled finishes first, so that its offsets are committed too while the membership holds.
    await untilHandled(consuming.busy);
    watching.abort();
    await committing;
    await consumer.disconnect();
  }
}

async function untilHandled(busy: ReadonlySet<number>): Promise<void> {
  const deadline = performance.now() + FINISH_MS;
  const { signal } = new AbortController();
  while (busy.size > 0 && performance.now() < deadline) await pause(10, signal);
}

/** Resolves when one of this member's partitions stands still, or when the signal aborts. */
async function watchProgress(
  consuming: Consuming,
  assigned: ReadonlySet<number>,
  signal: AbortSignal,
): Promise<void> {
  const { metrics, log, busy } = consuming;
  const positions = createPositionReader(consuming);
  const watch = createProgressWatch({
    now: () => performance.now(),
    patienceMs: consuming.patienceMs ?? 60_000,
  });
  try {
    while (!signal.aborted) {
      await pause(consuming.watchIntervalMs ?? 10_000, signal);
      const read = await positions.read().catch((err: unknown) => {
        log.debug({ err }, 'the positions of the group could not be read');
        return [];
      });
      if (signal.aborted || read.length === 0) continue;
      metrics.consumerLag.set(totalLag(read));
      const mine = read.filter(({ partition }) => assigned.has(partition));
      const partitions = watch.stuck(mine, (partition) => busy.has(partition));
      if (partitions.length === 0) continue;
      log.error(
        { partitions },
        'the consumer takes nothing in although there are messages; it is started anew',
      );
      return;
    }
  } finally {
    await positions.close();
  }
}

async function consumeBatch(payload: EachBatchPayload, consuming: ConsumingBatch): Promise<void> {
  const { messages, partition } = payload.batch;
  const size = consuming.chunkSize ?? 200;
  consuming.busy.add(partition);
  try {
    for (let start = 0; start < messages.length; start += size) {
      const chunk = messages.slice(start, start + size);
      const last = chunk.at(-1);
      if (last === undefined || !(await handleChunk(payload, chunk, consuming))) return;
      payload.resolveOffset(last.offset);
      consuming.commits.note(partition, String(BigInt(last.offset) + 1n));
      await payload.heartbeat();
      consuming.beat();
    }
  } finally {
    consuming.busy.delete(partition);
  }
}

/** False when the chunk was given up because the consumer is stopping or lost the partition. */
async function handleChunk(
  payload: EachBatchPayload,
  chunk: readonly KafkaMessage[],
  { handle, signal, beat, log, random }: Consuming,
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
