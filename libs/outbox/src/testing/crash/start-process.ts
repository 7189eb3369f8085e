import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { ProcessOrder } from './process.js';

const program = join(__dirname, '..', '..', '..', 'dist', 'testing', 'crash', 'process.js');

export interface CrashProcess {
  /** resolves when the process says that it is at its failpoint, or that it works; rejects when it ends without */
  readonly told: Promise<void>;
  /** the exit code, or the signal that ended it */
  readonly ended: Promise<number | string>;
  readonly signal: (name: NodeJS.Signals) => void;
}

/** The built program, so that a kill takes a process and not a test. */
export function startProcess(order: ProcessOrder): CrashProcess {
  const child = spawn(process.execPath, [program, JSON.stringify(order)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let errors = '';
  child.stderr.on('data', (chunk) => (errors = (errors + String(chunk)).slice(-4_000)));
  const ended = once(child, 'close').then(([code, signal]) => {
    if (code !== 0 && signal === null) throw new Error(`the process ended with ${code}:\n${errors}`);
    return (signal ?? code) as number | string;
  });
  const told = Promise.race([
    once(child.stdout, 'data').then(() => undefined),
    ended.then((how) => {
      throw new Error(`the process ended (${how}) without a word`);
    }),
  ]);
  told.catch(() => undefined);
  ended.catch(() => undefined);
  return { told, ended, signal: (name) => void child.kill(name) };
}
