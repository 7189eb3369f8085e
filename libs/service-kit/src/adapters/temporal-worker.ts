import { NativeConnection, Worker as SdkWorker } from '@temporalio/worker';
import type { WorkerOptions } from '@temporalio/worker';
import type { Logger } from '../log/logger.js';
import type { Worker } from '../service.js';
import { backoffDelay } from '../timing/backoff.js';
import { pause } from '../timing/pause.js';
import { installTemporalRuntime } from './temporal-runtime.js';

export interface TemporalWorkerOptions {
  readonly name: string;
  readonly address: string;
  readonly namespace: string;
  readonly taskQueue: string;
  /** The file that the build made of the workflow code. Without it the worker runs activities only. */
  readonly workflowBundlePath?: string;
  readonly activities?: object;
  readonly log: Logger;
  /** The service's drain time; running activities are cancelled a little before it is over. */
  readonly drainMs: number;
  readonly tuning?: Partial<WorkerOptions>;
}

const BEAT_EVERY_MS = 5000;
const CONNECT_LIMIT_MS = 10_000;
const CONNECT_BACKOFF = { initialMs: 500, capMs: 10_000, random: Math.random };

/**
 * A Temporal worker as a worker of the service: waits for Temporal as long as it takes, polls until the signal
 * aborts, then lets running tasks finish. An error that ends the polling ends `run` with that error.
 */
export function temporalWorker(options: TemporalWorkerOptions): Worker {
  return {
    name: options.name,
    maxBeatMs: 60_000,
    async run(signal, beat) {
      installTemporalRuntime(options.log);
      const connection = await connect(options, signal, beat);
      if (connection === undefined) return;
      try {
        const worker = await SdkWorker.create(workerOptions(options, connection));
        await poll(worker, signal, beat);
      } finally {
        // Must not take the place of the error that ended the worker.
        await connection
          .close()
          .catch((err: unknown) => options.log.warn({ err }, 'closing the connection failed'));
      }
    },
  };
}

function workerOptions(options: TemporalWorkerOptions, connection: NativeConnection): WorkerOptions {
  const { namespace, taskQueue, workflowBundlePath, activities, drainMs } = options;
  return {
    connection,
    namespace,
    taskQueue,
    ...(workflowBundlePath === undefined ? {} : { workflowBundle: { codePath: workflowBundlePath } }),
    ...(activities === undefined ? {} : { activities }),
    // The default is to cancel at once. Cancelled activities need a rest of the drain time to give up in order, and
    // the force ends what does not even then, so that the service can name the worker and exit.
    shutdownGraceTime: Math.round(drainMs * 0.8),
    shutdownForceTime: Math.round(drainMs * 0.95),
    ...options.tuning,
  };
}

/** Undefined when the signal aborted first. Each attempt beats: that Temporal is away is for readiness to tell. */
async function connect(
  { address, log, name }: TemporalWorkerOptions,
  signal: AbortSignal,
  beat: () => void,
): Promise<NativeConnection | undefined> {
  for (let attempt = 1; !signal.aborted; attempt += 1) {
    beat();
    try {
      return await connectWithin(address, signal);
    } catch (err) {
      if (signal.aborted) return undefined;
      log.warn({ err, worker: name, address, attempt }, 'Temporal cannot be reached; trying again');
      await pause(backoffDelay(attempt, CONNECT_BACKOFF), signal);
    }
  }
  return undefined;
}

/** Rejects after the limit or the abort; a connection that comes too late is closed again. */
async function connectWithin(address: string, signal: AbortSignal): Promise<NativeConnection> {
  const connecting = NativeConnection.connect({ address });
  const over = new AbortController();
  const givenUp = pause(CONNECT_LIMIT_MS, AbortSignal.any([signal, over.signal])).then(() => undefined);
  const connection = await Promise.race([connecting, givenUp]).finally(() => over.abort());
  if (connection !== undefined) return connection;
  connecting.then(
    (late) => late.close(),
    () => {},
  );
  throw new Error(`no connection within ${CONNECT_LIMIT_MS} ms`);
}

async function poll(worker: SdkWorker, signal: AbortSignal, beat: () => void): Promise<void> {
  const stop = (): void => {
    if (worker.getState() === 'RUNNING') worker.shutdown();
  };
  const beating = setInterval(() => {
    if (worker.getState() === 'RUNNING') beat();
  }, BEAT_EVERY_MS);
  signal.addEventListener('abort', stop, { once: true });
  try {
    const running = worker.run();
    if (signal.aborted) stop();
    await running;
  } finally {
    clearInterval(beating);
    signal.removeEventListener('abort', stop);
  }
}
