import type { EachBatchPayload, Kafka } from 'kafkajs';
import type { IncomingMessage } from '../ports.js';
import type { DeadLetterSource } from '../redrive-dead-letters.js';
import { createPositionReader } from './kafka-positions.js';

export interface DeadLetterSourceOptions {
  readonly kafka: Kafka;
  readonly topic: string;
  /** Remembers what was taken. */
  readonly groupId: string;
}

type Handle = (letters: readonly IncomingMessage[]) => Promise<void>;

/** Reads the dead-letter topic from where the group stands to where the topic ends now, and then stops. */
export function createDeadLetterSource(options: DeadLetterSourceOptions): DeadLetterSource {
  return {
    async read({ limit, keep }, handle) {
      const ends = await openPartitions(options);
      if (ends.size === 0) return;
      const consumer = options.kafka.consumer({ groupId: options.groupId, maxWaitTimeInMs: 200 });
      await consumer.connect();
      try {
        await consumer.subscribe({ topics: [options.topic], fromBeginning: true });
        await new Promise<void>((resolve, reject) => {
          consumer.on(consumer.events.CRASH, ({ payload }) => reject(payload.error));
          const reading = { ends, left: limit, keep, handle, done: resolve };
          // What fails is not taken, and ends the reading: whoever called it hears why.
          const eachBatch = (batch: EachBatchPayload) => readBatch(batch, reading).catch(reject);
          consumer.run({ autoCommit: false, eachBatchAutoResolve: false, eachBatch }).catch(reject);
        });
      } finally {
        await consumer.disconnect();
      }
    },
  };
}

/** Partitions with letters that were not taken, each with its end. */
async function openPartitions(options: DeadLetterSourceOptions): Promise<Map<number, bigint>> {
  const reader = createPositionReader(options);
  try {
    const open = (await reader.read()).filter(({ committed, end }) => committed < end);
    return new Map(open.map(({ partition, end }) => [partition, end]));
  } finally {
    await reader.close();
  }
}

interface Reading {
  readonly ends: Map<number, bigint>;
  left: number;
  readonly keep: boolean;
  readonly handle: Handle;
  readonly done: () => void;
}

async function readBatch(payload: EachBatchPayload, reading: Reading): Promise<void> {
  const { topic, partition, messages } = payload.batch;
  const end = reading.ends.get(partition);
  if (end === undefined || reading.left === 0) return;
  const wanted = messages.filter(({ offset }) => BigInt(offset) < end).slice(0, reading.left);
  const last = wanted.at(-1);
  if (last !== undefined) {
    await reading.handle(
      wanted.map(({ key, value, offset, headers }) => ({
        topic,
        partition,
        offset,
        key,
        value,
        headers: headers ?? {},
      })),
    );
    payload.resolveOffset(last.offset);
    if (!reading.keep) await payload.commitOffsetsIfNecessary(payload.uncommittedOffsets());
    reading.left -= wanted.length;
  }
  const next = last === undefined ? end : BigInt(last.offset) + 1n;
  if (next >= end) reading.ends.delete(partition);
  if (reading.ends.size === 0 || reading.left === 0) reading.done();
}
