import { setTimeout as sleep } from 'node:timers/promises';

const lookEveryMs = 20;

/** Waits for something to become true, and says what it was when it does not. */
export async function until(
  what: string,
  isTrue: () => boolean | Promise<boolean>,
  withinMs = 60_000,
): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await isTrue())) {
    if (performance.now() > deadline) throw new Error(`not within ${withinMs / 1000} s: ${what}`);
    await sleep(lookEveryMs);
  }
}
