import type { Logger } from '../log/logger.js';
import type { Worker } from '../service.js';
import { backoffDelay } from './backoff.js';
import { pause } from './pause.js';

export interface PollingOptions {
  readonly name: string;
  /** Rest after a step that found nothing more to do. */
  readonly intervalMs: number;
  /** Default: the longest rest plus half a minute for one step. */
  readonly maxBeatMs?: number;
  readonly log: Logger;
  /** One round of work; true when there is more to do at once. */
  step(signal: AbortSignal): Promise<boolean>;
  /** Resolves when a rest should end early, for example on a notification. It must give up when the signal aborts. */
  wake?(signal: AbortSignal): Promise<void>;
  /** Upper bound of the rest after failures in a row. Default 30 s. */
  readonly failureCapMs?: number;
  readonly random?: () => number;
}

const STEP_ALLOWANCE_MS = 30_000;

/** A worker that repeats one step. Failures are logged and followed by a growing rest; they never end the loop. */
export function pollingWorker(options: PollingOptions): Worker {
  const capMs = Math.max(options.failureCapMs ?? 30_000, options.intervalMs);
  const random = options.random ?? Math.random;
  let failures = 0;

  const attempt = async (signal: AbortSignal): Promise<boolean> => {
    try {
      const more = await options.step(signal);
      failures = 0;
      return more;
    } catch (err) {
      if (signal.aborted) return false;
      failures += 1;
      options.log.error({ err, worker: options.name, failures }, 'a step failed; it will be tried again');
      return false;
    }
  };

  return {
    name: options.name,
    maxBeatMs: options.maxBeatMs ?? Math.max(options.intervalMs, capMs) + STEP_ALLOWANCE_MS,
    async run(signal, beat) {
      while (!signal.aborted) {
        const more = await attempt(signal);
        // A failing step beats as well: its loop turns, and what it cannot reach is for readiness to tell.
        beat();
        if (more || signal.aborted) continue;
        if (failures > 0) {
          await pause(options.intervalMs + backoffDelay(failures, { initialMs: 500, capMs, random }), signal);
        } else {
          await restUntilWoken(options, signal);
        }
      }
    },
  };
}

async function restUntilWoken(options: PollingOptions, signal: AbortSignal): Promise<void> {
  const rest = new AbortController();
  const restSignal = AbortSignal.any([signal, rest.signal]);
  const waits = [pause(options.intervalMs, restSignal)];
  if (options.wake !== undefined) {
    // A wake that fails must not turn the rest into a busy loop: the interval still stands.
    waits.push(
      options.wake(restSignal).catch((err: unknown) => {
        if (!restSignal.aborted)
          options.log.warn({ err, worker: options.name }, 'waking up failed; the interval counts');
        return pause(options.intervalMs, restSignal);
      }),
    );
  }
  await Promise.race(waits);
  rest.abort();
}
