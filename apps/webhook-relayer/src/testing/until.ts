import { setTimeout as sleep } from 'node:timers/promises';

/** Looks until something is found, and says what it was when it is not. */
export async function until<T>(
  what: string,
  find: () => Promise<T | undefined> | T | undefined,
  withinMs = 60_000,
): Promise<T> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const found = await find();
    if (found !== undefined) return found;
    if (performance.now() > deadline) throw new Error(`not within ${withinMs / 1_000} s: ${what}`);
    await sleep(50);
  }
}
