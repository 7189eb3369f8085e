import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { LocalStackError } from '../errors.js';
import type { Environment } from '../ports.js';
import { layersOf, signalGroup } from './clean-up.js';
import { identify } from './identity.js';
import type { OwnedRecord } from './run-state.js';

export interface ProcessSpec {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** All of its variables; nothing is inherited. */
  readonly env: Environment;
  readonly logFile: string;
  readonly cwd?: string;
  /** Runs as this user; only root may ask for it. */
  readonly user?: { readonly uid: number; readonly gid: number };
  /** Default SIGTERM. */
  readonly stopSignal?: OwnedRecord['stopSignal'];
  /** Killed when it has not stopped by then. Default 10 s. */
  readonly stopWithinMs?: number;
  /** Higher layers stop first: servers are 0, what uses them is 1 (the default) or more. */
  readonly layer?: number;
}

export interface OwnedProcess {
  readonly name: string;
  readonly pid: number;
  readonly logFile: string;
  /** How it ended, in words: "exit code 1", "signal SIGKILL". */
  readonly ended: Promise<string>;
  running(): boolean;
  stop(): Promise<void>;
  /** The last lines of its output. */
  logTail(): string;
}

export interface Owner {
  spawnOwned(spec: ProcessSpec): OwnedProcess;
  stopAll(): Promise<void>;
}

interface Owned {
  readonly layer: number;
  readonly record: OwnedRecord;
  readonly process: OwnedProcess;
}

/** Keeps the processes of a run; every change is told at once, before anything else can happen. */
export function createOwner(changed: (records: readonly OwnedRecord[]) => void): Owner {
  const owned = new Map<number, Owned>();
  const tell = (): void => {
    changed([...owned.values()].map(({ record }) => record));
  };
  return {
    spawnOwned(spec) {
      const child = launch(spec);
      const record = recordOf(spec, child);
      const process = describe(spec, child, record);
      owned.set(record.pid, { layer: record.layer, record, process });
      tell();
      void process.ended.then(() => {
        owned.delete(record.pid);
        tell();
      });
      return process;
    },
    async stopAll() {
      for (const layer of layersOf([...owned.values()])) {
        await Promise.all(layer.map(({ process }) => process.stop()));
      }
    },
  };
}

function launch(spec: ProcessSpec): ChildProcess {
  const log = openSync(spec.logFile, 'a');
  try {
    return spawn(spec.command, spec.args, {
      // A group of its own: Ctrl-C in the terminal reaches the starter alone, which then stops things in order.
      detached: true,
      stdio: ['ignore', log, log],
      env: { ...spec.env },
      ...(spec.cwd === undefined ? {} : { cwd: spec.cwd }),
      ...spec.user,
    });
  } finally {
    closeSync(log);
  }
}

function recordOf(spec: ProcessSpec, child: ChildProcess): OwnedRecord {
  if (child.pid === undefined) {
    child.once('error', () => undefined);
    throw new LocalStackError('PROGRAM_MISSING', `${spec.name}: ${spec.command} cannot be started`);
  }
  return {
    name: spec.name,
    pid: child.pid,
    startedAt: identify(child.pid)?.startedAt ?? '',
    stopSignal: spec.stopSignal ?? 'SIGTERM',
    stopWithinMs: spec.stopWithinMs ?? 10_000,
    layer: spec.layer ?? 1,
  };
}

function describe(spec: ProcessSpec, child: ChildProcess, record: OwnedRecord): OwnedProcess {
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => {
      resolve(error.message);
    });
    child.once('exit', (code, signal) => {
      resolve(signal === null ? `exit code ${String(code)}` : `signal ${signal}`);
    });
  });
  const running = (): boolean => child.exitCode === null && child.signalCode === null;
  return {
    name: spec.name,
    pid: record.pid,
    logFile: spec.logFile,
    ended,
    running,
    async stop() {
      if (running()) {
        signalGroup(record.pid, record.stopSignal);
        await endsWithin(ended, record.stopWithinMs);
      }
      // Also after a clean end: children that it left behind are still in its group.
      signalGroup(record.pid, 'SIGKILL');
      await ended;
    },
    logTail: () => tailOf(spec.logFile),
  };
}

async function endsWithin(ended: Promise<string>, withinMs: number): Promise<void> {
  const deadline = new AbortController();
  await Promise.race([ended, sleep(withinMs, undefined, { signal: deadline.signal }).catch(() => undefined)]);
  deadline.abort();
}

function tailOf(file: string): string {
  const shownLines = 15;
  try {
    return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-shownLines).join('\n');
  } catch {
    return '';
  }
}
