/** Where the group stands in one partition. */
export interface PartitionPosition {
  readonly partition: number;
  /** The next message that the group has not taken in. */
  readonly committed: bigint;
  /** The next message that will be written. */
  readonly end: bigint;
}

export interface ProgressWatch {
  /** Partitions that had messages and took none in for too long. */
  stuck(positions: readonly PartitionPosition[], isBusy: (partition: number) => boolean): number[];
}

/**
 * Tells a consumer that stands still from one that has nothing to do. Fetches and heartbeats prove nothing: a consumer has been
 * seen to go on with both and take in nothing. What counts is that offsets move while there are messages, and a partition
 * whose messages are being handled, however slowly, is not stuck: starting anew would not help.
 */
export function createProgressWatch(options: {
  readonly now: () => number;
  readonly patienceMs: number;
}): ProgressWatch {
  const seen = new Map<number, { committed: bigint; since: number }>();
  return {
    stuck(positions, isBusy) {
      const at = options.now();
      const known = new Set(positions.map(({ partition }) => partition));
      for (const partition of seen.keys()) if (!known.has(partition)) seen.delete(partition);
      return positions.flatMap(({ partition, committed, end }) => {
        const last = seen.get(partition);
        if (last?.committed !== committed || committed >= end || isBusy(partition)) {
          seen.set(partition, { committed, since: at });
          return [];
        }
        return at - last.since >= options.patienceMs ? [partition] : [];
      });
    },
  };
}

export function totalLag(positions: readonly PartitionPosition[]): number {
  return positions.reduce(
    (sum, { committed, end }) => sum + Number(end > committed ? end - committed : 0n),
    0,
  );
}
