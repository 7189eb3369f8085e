import { pause } from '@sluice/service-kit';
import type { Logger } from '@sluice/service-kit';
import type { Consumer } from 'kafkajs';

export interface OffsetCommits {
  /** Everything of the partition before this offset has been handled. */
  note(partition: number, nextOffset: string): void;
  /** Commits what was noted, again and again, until the signal aborts, and then once more. */
  run(signal: AbortSignal): Promise<void>;
}

/**
 * Commits offsets beside the handling of messages, all partitions in one request: a commit in the way of every chunk would make
 * each wait for the broker. What a crash leaves uncommitted comes again, which is harmless to handlers that can be repeated.
 */
export function createOffsetCommits(options: {
  readonly consumer: Pick<Consumer, 'commitOffsets'>;
  readonly topic: string;
  readonly log: Logger;
  readonly intervalMs?: number;
}): OffsetCommits {
  const { consumer, topic, log, intervalMs = 250 } = options;
  let noted = new Map<number, string>();

  const commit = async (): Promise<void> => {
    if (noted.size === 0) return;
    const offsets = [...noted].map(([partition, offset]) => ({ topic, partition, offset }));
    noted = new Map();
    // When it fails, the partition has gone to another member or the broker is away: the next commit says as much, and what
    // is never committed comes again.
    await consumer
      .commitOffsets(offsets)
      .catch((err: unknown) => log.warn({ err }, 'offsets were not committed'));
  };

  return {
    note: (partition, nextOffset) => void noted.set(partition, nextOffset),
    async run(signal) {
      while (!signal.aborted) {
        await pause(intervalMs, signal);
        await commit();
      }
      await commit();
    },
  };
}
