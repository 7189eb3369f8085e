import { retry } from '@sluice/service-kit';
import type { DeliveryQueue, SettledClaim } from './delivery-ports.js';

export type Written = 'recorded' | 'late';

interface Waiting {
  readonly settled: SettledClaim;
  readonly resolve: (written: Written) => void;
  readonly reject: (error: unknown) => void;
}

export interface WriteOutcomesOptions {
  readonly queue: Pick<DeliveryQueue, 'settle'>;
  readonly random: () => number;
  readonly maxBatch?: number;
  /** Rest before the first repetition of a failed write. Default 100 ms. */
  readonly initialMs?: number;
}

/**
 * One write at a time; outcomes that arrive meanwhile share the next one. Alone an outcome waits for nothing, and under
 * load many cost one round trip and one commit. A write that fails is repeated, since the requests have been made and
 * a forgotten outcome is a repeated request; one that fails to the end is taken apart, so that an outcome which cannot be
 * written spoils no other.
 */
export function createOutcomeWriter(
  options: WriteOutcomesOptions,
): (settled: SettledClaim) => Promise<Written> {
  const { queue, maxBatch = 250 } = options;
  const waiting: Waiting[] = [];
  let isWriting = false;

  const settle = (batch: readonly Waiting[]): Promise<readonly Written[]> =>
    retry(() => queue.settle(batch.map(({ settled }) => settled)), {
      maxAttempts: 4,
      initialMs: options.initialMs ?? 100,
      capMs: 1_000,
      random: options.random,
    });

  const write = async (batch: readonly Waiting[]): Promise<void> => {
    try {
      const written = await settle(batch);
      batch.forEach(({ resolve }, at) => resolve(written[at] ?? 'recorded'));
    } catch (error) {
      if (batch.length === 1) return batch[0]?.reject(error);
      for (const one of batch) await write([one]);
    }
  };

  const writeAll = async (): Promise<void> => {
    isWriting = true;
    while (waiting.length > 0) await write(waiting.splice(0, maxBatch));
    isWriting = false;
  };

  return (settled) =>
    new Promise((resolve, reject) => {
      waiting.push({ settled, resolve, reject });
      if (!isWriting) void writeAll();
    });
}
