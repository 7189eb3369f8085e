import { setTimeout } from 'node:timers/promises';

/** Asks until the answer is there; fails with what the last question met. */
export async function eventually<T>(question: () => Promise<T>, limitMs = 20_000): Promise<T> {
  const deadline = Date.now() + limitMs;
  for (;;) {
    try {
      return await question();
    } catch (error) {
      if (Date.now() > deadline) throw error;
    }
    await setTimeout(50);
  }
}
