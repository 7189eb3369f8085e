import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Writable } from 'node:stream';
import { LocalStackError } from '../errors.js';
import { cleanUp } from './clean-up.js';
import { identify, isRunning } from './identity.js';
import type { ProcessIdentity } from './identity.js';
import { createOwner } from './owner.js';
import type { OwnedProcess, ProcessSpec } from './owner.js';
import {
  claimStateFile,
  listStateFiles,
  readRunState,
  releaseStateFile,
  saveRunState,
  stateFile,
} from './run-state.js';
import type { RunState } from './run-state.js';

// From src as well as from dist: the guard is a program of its own and runs compiled.
const guardProgram = join(__dirname, '..', '..', 'dist', 'processes', 'guard.js');
const guardEndsWithinMs = 30_000;

export interface Run {
  readonly id: string;
  readonly portBase: number;
  /** Data and logs of this run; removed at its end. */
  readonly folder: string;
  readonly logFolder: string;
  /** Starts a process that ends with this run, whatever becomes of its starter. */
  spawnOwned(spec: Omit<ProcessSpec, 'logFile'> & { readonly logFile?: string }): OwnedProcess;
  /** Shown to whoever tries to start a second run on the same ports. */
  noteAddresses(addresses: Record<string, string>): void;
  /** Leaves the folder where it is at the end. */
  keepFolder(): void;
  /** Stops everything in order and removes the folder. May be called more than once. */
  stop(): Promise<void>;
}

export interface RunOptions {
  readonly portBase: number;
  /** Where the files of all runs of this user lie. */
  readonly stateFolder: string;
  readonly dataRoot: string;
}

/** Opens a run on these ports, after clearing away what dead runs left, or refuses beside a living one. */
export async function openRun(options: RunOptions): Promise<Run> {
  await clearDeadRuns(options.stateFolder);
  const file = stateFile(options.stateFolder, options.portBase);
  const id = randomBytes(4).toString('hex');
  const state: RunState = {
    id,
    portBase: options.portBase,
    startedAt: new Date().toISOString(),
    starter: ownIdentity(),
    processes: [],
    folders: [],
    addresses: {},
  };
  if (!(await claimStateFile(file, state))) throw await alreadyRunning(file, options.portBase);
  try {
    const folder = await mkdtemp(join(options.dataRoot, `sluice-${options.portBase}-`));
    // PostgreSQL does not run as root; the user that it runs as then must pass through here.
    if (process.getuid?.() === 0) await chmod(folder, 0o755);
    const logFolder = join(folder, 'logs');
    await mkdir(logFolder);
    return await superviseRun({ ...state, folders: [folder] }, { file, folder, logFolder });
  } catch (error) {
    await releaseStateFile(file, id);
    throw error;
  }
}

async function superviseRun(
  initial: RunState,
  places: { readonly file: string; readonly folder: string; readonly logFolder: string },
): Promise<Run> {
  const guard = startGuard(places.file);
  let state: RunState = { ...initial, ...(guard.identity ? { guard: guard.identity } : {}) };
  let saved: Promise<void> = Promise.resolve();
  let closed = false;
  const change = (part: Partial<RunState>): void => {
    if (closed) return;
    state = { ...state, ...part };
    guard.input.write(`${JSON.stringify(state)}\n`);
    const current = state;
    saved = saved.then(() => saveRunState(places.file, current)).catch(() => undefined);
  };
  change({});
  await saved;
  const owner = createOwner((processes) => {
    change({ processes: [...processes] });
  });
  const end = async (): Promise<void> => {
    await owner.stopAll();
    await Promise.all(state.folders.map((path) => rm(path, { recursive: true, force: true, maxRetries: 5 })));
    change({ processes: [], folders: [] });
    closed = true;
    await saved;
    await guard.dismiss();
  };
  let stopped: Promise<void> | undefined;
  return {
    id: state.id,
    portBase: state.portBase,
    folder: places.folder,
    logFolder: places.logFolder,
    spawnOwned: (spec) => {
      if (stopped)
        throw new LocalStackError('NOT_READY', `${spec.name} is not started, since the run is stopping`);
      return owner.spawnOwned({ logFile: join(places.logFolder, `${spec.name}.log`), ...spec });
    },
    noteAddresses: (addresses) => {
      change({ addresses });
    },
    keepFolder: () => {
      change({ folders: [] });
    },
    stop: () => (stopped ??= end()),
  };
}

interface Guard {
  readonly input: Writable;
  readonly identity: ProcessIdentity | undefined;
  /** Ends its input and waits until it is gone. */
  dismiss(): Promise<void>;
}

function startGuard(file: string): Guard {
  const child = spawn(process.execPath, [guardProgram, file], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    cwd: '/',
    env: {},
  });
  child.unref();
  const ended = new Promise<void>((resolve) => {
    child.once('error', () => {
      resolve();
    });
    child.once('exit', () => {
      resolve();
    });
  });
  // A guard that died is no reason for the run to die; the state file still names what is owned.
  child.stdin.on('error', () => undefined);
  return {
    input: child.stdin,
    identity: child.pid === undefined ? undefined : identify(child.pid),
    dismiss: async () => {
      child.ref();
      child.stdin.end();
      await ended;
    },
  };
}

/** Ends whatever runs without a starter have left. A guard that is still at work is given its time first. */
async function clearDeadRuns(stateFolder: string): Promise<void> {
  for (const file of await listStateFiles(stateFolder)) {
    const state = await readRunState(file);
    if (state === undefined) await rm(file, { force: true });
    else if (!isRunning(state.starter)) await buryRun(file, state);
  }
}

async function buryRun(file: string, state: RunState): Promise<void> {
  const { guard } = state;
  const deadline = Date.now() + guardEndsWithinMs;
  while (guard && isRunning(guard) && Date.now() < deadline) await sleep(100);
  await cleanUp((await readRunState(file)) ?? { ...state, processes: [] }, file);
}

async function alreadyRunning(file: string, portBase: number): Promise<LocalStackError> {
  const state = await readRunState(file);
  const addresses = Object.entries(state?.addresses ?? {}).map(([name, address]) => `  ${name}  ${address}`);
  return new LocalStackError(
    'ALREADY_RUNNING',
    [
      `A local stack runs already on the ports from ${portBase}: pid ${state?.starter.pid ?? 'unknown'}, since ${state?.startedAt ?? 'just now'}.`,
      ...addresses,
      `Stop it (Ctrl-C in its terminal), or start this one beside it with SLUICE_PORT_BASE=${portBase + 1000}.`,
    ].join('\n'),
  );
}

function ownIdentity(): ProcessIdentity {
  return identify(process.pid) ?? { pid: process.pid, startedAt: '' };
}
