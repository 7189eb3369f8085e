import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** A process, told apart from a later one that was given the same number. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly startedAt: string;
}

/** Who runs under this number now; undefined when nobody does, or when it only waits to be buried. */
export function identify(pid: number): ProcessIdentity | undefined {
  return process.platform === 'linux' ? fromProc(pid) : fromPs(pid);
}

export function isRunning(identity: ProcessIdentity): boolean {
  return identify(identity.pid)?.startedAt === identity.startedAt;
}

function fromProc(pid: number): ProcessIdentity | undefined {
  let line: string;
  try {
    line = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return undefined;
  }
  // The command's name stands in parentheses and may hold anything, so fields are counted from its end.
  const [state, ...fields] = line.slice(line.lastIndexOf(')') + 2).split(' ');
  const startTicks = fields[18];
  if (state === 'Z' || state === 'X' || startTicks === undefined) return undefined;
  return { pid, startedAt: startTicks };
}

function fromPs(pid: number): ProcessIdentity | undefined {
  try {
    const line = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim();
    const [state, ...started] = line.split(/\s+/);
    if (!state || state.startsWith('Z')) return undefined;
    return { pid, startedAt: started.join(' ') };
  } catch {
    return undefined;
  }
}
