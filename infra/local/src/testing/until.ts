import { setTimeout as sleep } from 'node:timers/promises';

const lookEveryMs = 50;

/** Waits for something to become true; for specs that watch other processes. */
export async function until(
  what: string,
  isTrue: () => boolean | Promise<boolean>,
  withinMs = 20_000,
): Promise<void> {
  const deadline = Date.now() + withinMs;
  while (!(await isTrue())) {
    if (Date.now() > deadline) throw new Error(`still not true after ${withinMs / 1000} s: ${what}`);
    await sleep(lookEveryMs);
  }
}
