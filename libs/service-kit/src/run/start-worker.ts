import type { Logger } from '../log/logger.js';
import type { Heartbeats } from '../ops/heartbeats.js';
import type { Worker } from '../service.js';
import type { Drainable } from './drainable.js';
import type { StopRequest } from './stop-request.js';

/** Runs a worker. When it ends before it was told to, for whatever reason, the service is asked to stop. */
export function startWorker(
  worker: Worker,
  { heartbeats, stop, log }: { heartbeats: Heartbeats; stop: StopRequest; log: Logger },
): Drainable {
  const { name } = worker;
  const controller = new AbortController();
  const { signal } = controller;
  const run = async (): Promise<void> => {
    try {
      await worker.run(signal, heartbeats.watch(name, worker.maxBeatMs));
      if (!signal.aborted) stop.make({ kind: 'failure', what: `worker ${name} ended without being told to` });
    } catch (err) {
      // To leave by way of the signal is a way to stop.
      if (signal.aborted && (err === signal.reason || isAbortError(err))) return;
      log.error({ err, worker: name }, signal.aborted ? 'worker failed while stopping' : 'worker failed');
      if (signal.aborted) throw err;
      stop.make({ kind: 'failure', what: `worker ${name} failed` });
    }
  };
  const stopped = run();
  stopped.catch(() => {});
  return { name: `worker ${name}`, stop: () => controller.abort(), stopped };
}

function isAbortError(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}
