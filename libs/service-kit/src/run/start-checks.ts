import { describeError } from '../log/describe-error.js';
import type { StartCheck } from '../service.js';

const LIMIT_MS = 30_000;

/** Runs all checks together and returns every problem, each with the name of its check. */
export async function runStartChecks(checks: readonly StartCheck[], limitMs = LIMIT_MS): Promise<string[]> {
  const found = await Promise.all(checks.map((check) => problemsOf(check, limitMs)));
  return found.flat();
}

async function problemsOf(startCheck: StartCheck, limitMs: number): Promise<string[]> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<readonly string[]>((resolve) => {
    timer = setTimeout(() => resolve([`no answer within ${limitMs} ms`]), limitMs).unref();
  });
  try {
    const problems = await Promise.race([Promise.resolve().then(() => startCheck.check()), limit]);
    return problems.map((problem) => `${startCheck.name}: ${problem}`);
  } catch (error) {
    return [`${startCheck.name}: ${describeError(error)}`];
  } finally {
    clearTimeout(timer);
  }
}
