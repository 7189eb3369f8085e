import type { LocalStackErrorCode } from '../errors.js';
import { LocalStackError } from '../errors.js';
import type { Environment } from '../ports.js';
import type { ProcessSpec } from '../processes/owner.js';
import type { Run } from '../processes/run.js';

export interface Command extends Pick<ProcessSpec, 'name' | 'command' | 'args' | 'cwd' | 'user'> {
  readonly env: Environment;
  readonly withinMs: number;
  readonly failsWith: LocalStackErrorCode;
}

/** Runs a program to its end as a process of the run, so that it too ends when the starter does. */
export async function runCommand(run: Run, command: Command): Promise<void> {
  const { withinMs, failsWith, ...spec } = command;
  const child = run.spawnOwned(spec);
  let isLate = false;
  const deadline = setTimeout(() => {
    isLate = true;
    void child.stop();
  }, withinMs);
  const ended = await child.ended;
  clearTimeout(deadline);
  if (ended === 'exit code 0') return;
  const how = isLate ? `did not end within ${withinMs / 1000} s` : `ended with ${ended}`;
  throw new LocalStackError(
    failsWith,
    `${[spec.command, ...spec.args].join(' ')} ${how}\n${child.logTail()}`,
  );
}
