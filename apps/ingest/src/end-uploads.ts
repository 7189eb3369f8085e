import type { Worker } from '@sluice/service-kit';

/** Tells uploads that the service stops: they settle what they have read and say where to go on. */
export function endUploads(stopping: AbortController): Worker {
  return {
    name: 'uploads',
    maxBeatMs: 60_000,
    async run(signal, beat) {
      const beating = setInterval(beat, 10_000);
      await new Promise<void>((resolve) => {
        if (signal.aborted) resolve();
        else signal.addEventListener('abort', () => resolve(), { once: true });
      });
      clearInterval(beating);
      stopping.abort();
    },
  };
}
