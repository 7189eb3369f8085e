import { setTimeout as sleep } from 'node:timers/promises';
import { LocalStackError, messageOf } from '../errors.js';
import type { OwnedProcess } from '../processes/owner.js';

const askEveryMs = 100;

/** Asks until the answer comes; gives up when the process ends or the time is over. */
export async function waitUntilReady(wait: {
  readonly title: string;
  readonly process: OwnedProcess;
  readonly withinMs: number;
  probe(): Promise<void>;
}): Promise<void> {
  const deadline = Date.now() + wait.withinMs;
  for (;;) {
    const problem = await wait.probe().then(
      () => undefined,
      (error: unknown) => messageOf(error),
    );
    if (problem === undefined) return;
    if (!wait.process.running()) throw notReady(wait, `ended with ${await wait.process.ended}`);
    if (Date.now() > deadline)
      throw notReady(wait, `did not answer within ${wait.withinMs / 1000} s: ${problem}`);
    await sleep(askEveryMs);
  }
}

function notReady(
  wait: { readonly title: string; readonly process: OwnedProcess },
  how: string,
): LocalStackError {
  return new LocalStackError(
    'NOT_READY',
    `${wait.title} ${how}\nThe end of ${wait.process.logFile}:\n${wait.process.logTail()}`,
  );
}
