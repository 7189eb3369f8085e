import type { Admin, Kafka } from 'kafkajs';
import type { PartitionPosition } from '../watch-progress.js';

export interface PositionReader {
  /** Where the group stands in each partition of the topic. */
  read(): Promise<PartitionPosition[]>;
  close(): Promise<void>;
}

export function createPositionReader(options: {
  readonly kafka: Kafka;
  readonly topic: string;
  readonly groupId: string;
}): PositionReader {
  const { kafka, topic, groupId } = options;
  let connected: Promise<Admin> | undefined;
  const connect = async (): Promise<Admin> => {
    const admin = kafka.admin({ retry: { retries: 1 } });
    await admin.connect();
    return admin;
  };
  const close = async (): Promise<void> => {
    const closing = connected;
    connected = undefined;
    await closing?.then((admin) => admin.disconnect()).catch(() => undefined);
  };
  return {
    async read() {
      try {
        const admin = await (connected ??= connect());
        const [ends, groups] = await Promise.all([
          admin.fetchTopicOffsets(topic),
          admin.fetchOffsets({ groupId, topics: [topic] }),
        ]);
        const committed = new Map(groups[0]?.partitions.map(({ partition, offset }) => [partition, offset]));
        return ends.map(({ partition, high, low }) => {
          const offset = BigInt(committed.get(partition) ?? -1);
          // Nothing committed yet, or what was committed is gone from the topic: it begins with the oldest message.
          const begin = offset < BigInt(low) ? BigInt(low) : offset;
          return { partition, committed: begin, end: BigInt(high) };
        });
      } catch (error) {
        await close();
        throw error;
      }
    },
    close,
  };
}
