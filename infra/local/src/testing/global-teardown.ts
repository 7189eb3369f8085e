// After the last integration spec: everything stops; what belongs to a failed test stays, with a word on how to look at it.
import { dropDatabase } from './databases.js';
import { keepFailures } from './kept-run.js';
import { runningTests } from './running-tests.js';

export default async function globalTeardown(): Promise<void> {
  const tests = runningTests.get();
  if (!tests) return;
  const { stack, run } = tests;
  try {
    const kept = await keepFailures(stack, run);
    if (kept !== undefined) process.stderr.write(`\n${kept}\n`);
    await dropDatabase(run.pgUrl, run.template);
  } finally {
    await stack.stop();
  }
}
