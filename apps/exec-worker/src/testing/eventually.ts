import { setTimeout as timeout } from 'node:timers/promises';

/** Asks again and again until the condition holds; fails after the time limit with what it waited for. */
export async function eventually(
  what: string,
  condition: () => boolean | Promise<boolean>,
  limitMs = 60_000,
): Promise<void> {
  const giveUpAt = performance.now() + limitMs;
  while (!(await condition())) {
    if (performance.now() > giveUpAt) throw new Error(`waited ${limitMs} ms in vain: ${what}`);
    await timeout(20);
  }
}
