import { setTimeout as timeout } from 'node:timers/promises';

/** Resolves after `ms`, or as soon as the signal aborts. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await timeout(ms, undefined, { signal });
  } catch {
    // aborted: the caller looks at its signal
  }
}
