import type { Worker } from '@sluice/service-kit';
import type { MessageHandler, MessageSource } from './ports.js';

/** Longer than a rebalance of the group, in which nothing is fetched. */
const MAX_BEAT_MS = 90_000;

export function createIntakeWorker(source: MessageSource, handle: MessageHandler): Worker {
  return {
    name: 'event-intake',
    maxBeatMs: MAX_BEAT_MS,
    run: (signal, beat) => source.consume(handle, signal, beat),
  };
}
