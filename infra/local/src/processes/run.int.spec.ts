import { execFile, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { LocalStackError } from '../errors.js';
import { until } from '../testing/until.js';
import { identify, isRunning } from './identity.js';
import { openRun } from './run.js';
import type { Run } from './run.js';
import { readRunState, saveRunState, stateFile } from './run-state.js';
import type { RunState } from './run-state.js';

const portBase = 5000;
const sleeper = { command: process.execPath, args: ['-e', 'setInterval(() => {}, 1000)'], env: {} };
/** Does not care about SIGTERM, and has a child in its group that does not either. */
const stubborn = `process.on('SIGTERM', () => {});
  require('node:child_process').spawn(process.execPath, ['-e', "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)"]);
  setInterval(() => {}, 1000);`;

describe('a run', () => {
  let home: string;
  let options: { portBase: number; stateFolder: string; dataRoot: string };
  const children: ChildProcess[] = [];

  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'run-'));
    options = { portBase, stateFolder: join(home, 'state'), dataRoot: join(home, 'data') };
    await mkdir(options.dataRoot);
  });
  afterEach(async () => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    await rm(home, { recursive: true, force: true });
  });

  const file = (): string => stateFile(options.stateFolder, portBase);
  const state = async (): Promise<RunState> => {
    const found = await readRunState(file());
    if (!found) throw new Error('there is no state file');
    return found;
  };

  /** A process that opens a run, starts two processes in it, and stays until it is killed. */
  async function startStarter(): Promise<ChildProcess> {
    const script = `require(${JSON.stringify(join(__dirname, '..', '..', 'dist', 'processes', 'run.js'))})
      .openRun(${JSON.stringify(options)}).then((run) => {
        run.spawnOwned({ name: 'one', command: process.execPath, args: ['-e', 'setInterval(() => {}, 1000)'], env: {}, layer: 0 });
        run.spawnOwned({ name: 'two', command: process.execPath, args: ['-e', ${JSON.stringify(stubborn)}], env: {}, stopWithinMs: 300 });
      })`;
    const child = spawn(process.execPath, ['-e', script], { stdio: 'inherit' });
    children.push(child);
    await until('both processes run', async () => (await readRunState(file()))?.processes.length === 2);
    return child;
  }

  async function opened(): Promise<Run> {
    return await openRun(options);
  }

  it('stops its processes and leaves nothing lying about', async () => {
    const run = await opened();
    const owned = run.spawnOwned({ name: 'sleeper', ...sleeper });
    await run.stop();
    expect(await owned.ended).toBe('signal SIGTERM');
    expect([await readdir(options.dataRoot), await readdir(options.stateFolder)]).toEqual([[], []]);
  });

  it('kills what does not stop in time, with all that it started', async () => {
    const run = await opened();
    const owned = run.spawnOwned({ name: 'stubborn', ...sleeper, args: ['-e', stubborn], stopWithinMs: 200 });
    await until('it has its child', async () => (await groupOf(owned.pid)).length === 2);
    await run.stop();
    expect(await owned.ended).toBe('signal SIGKILL');
    await until('its child is gone too', async () => (await groupOf(owned.pid)).length === 0);
  });

  it('stops what stands on the servers before the servers', async () => {
    const run = await opened();
    const order: string[] = [];
    for (const [name, layer] of [
      ['server', 0],
      ['service', 1],
    ] as const) {
      void run.spawnOwned({ name, ...sleeper, layer }).ended.then(() => order.push(name));
    }
    await run.stop();
    expect(order).toEqual(['service', 'server']);
  });

  it('keeps its folder when it is told to', async () => {
    const run = await opened();
    run.keepFolder();
    await run.stop();
    expect(await readdir(run.folder)).toEqual(['logs']);
  });

  it('puts the output of a process into a log that can be shown', async () => {
    const run = await opened();
    const owned = run.spawnOwned({
      name: 'talker',
      ...sleeper,
      args: ['-e', 'console.log("said"); process.exit(3)'],
    });
    expect(await owned.ended).toBe('exit code 3');
    expect(owned.logTail()).toBe('said');
    await run.stop();
  });

  it('names a program that cannot be started', async () => {
    const run = await opened();
    const missing = { name: 'missing', command: '/no/such/program', args: [], env: {} };
    expect(() => run.spawnOwned(missing)).toThrow('missing: /no/such/program cannot be started');
    await run.stop();
  });

  it('starts nothing more once it is stopping', async () => {
    const run = await opened();
    const stopped = run.stop();
    expect(() => run.spawnOwned({ name: 'late', ...sleeper })).toThrow(
      'late is not started, since the run is stopping',
    );
    await stopped;
  });

  it('is refused beside a living one, which is named with its addresses and the way to stand beside it', async () => {
    const run = await opened();
    run.noteAddresses({ pgUrl: 'postgres://127.0.0.1:5432/postgres' });
    await until('the addresses are noted', async () => 'pgUrl' in (await state()).addresses);
    const refusal: unknown = await opened().catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(LocalStackError);
    expect(refusal).toMatchObject({ code: 'ALREADY_RUNNING' });
    for (const part of [`pid ${process.pid}`, 'postgres://127.0.0.1:5432', 'SLUICE_PORT_BASE=6000']) {
      expect(String(refusal)).toContain(part);
    }
    await run.stop();
  });

  it('leaves no process and no folder behind when its starter is killed', async () => {
    const starter = await startStarter();
    const { processes } = await state();
    starter.kill('SIGKILL');
    await until('its file is gone', async () => (await readRunState(file())) === undefined);
    expect(processes.filter(isRunning)).toEqual([]);
    for (const { pid } of processes) expect(await groupOf(pid)).toEqual([]);
    expect(await readdir(options.dataRoot)).toEqual([]);
  });

  it('clears away what a starter left that was killed together with its guard', async () => {
    const starter = await startStarter();
    const { processes, guard } = await state();
    if (!guard) throw new Error('the run has no guard');
    process.kill(guard.pid, 'SIGKILL');
    starter.kill('SIGKILL');
    await until('both are gone', () => !isRunning(guard) && starter.signalCode !== null);
    expect(processes.filter(isRunning)).toHaveLength(2);
    const run = await opened();
    expect(processes.filter(isRunning)).toEqual([]);
    expect(await readdir(options.dataRoot)).toHaveLength(1);
    await run.stop();
  });

  it('never stops a stranger who was given the number of a process of a dead run', async () => {
    const stranger = spawn(sleeper.command, sleeper.args, { stdio: 'ignore', detached: true });
    children.push(stranger);
    const identity = identify(stranger.pid ?? 0);
    if (!identity) throw new Error('the stranger does not run');
    const other = { pid: identity.pid, startedAt: 'another time' };
    await mkdir(options.stateFolder);
    await saveRunState(file(), {
      ...{ id: 'dead', portBase, startedAt: '', starter: other, guard: other, folders: [], addresses: {} },
      processes: [{ ...other, name: 'gone', stopSignal: 'SIGTERM', stopWithinMs: 100, layer: 0 }],
    });
    const run = await opened();
    expect(isRunning(identity)).toBe(true);
    await run.stop();
  });

  it('takes the place of a file that cannot be read', async () => {
    await mkdir(options.stateFolder);
    await saveRunState(file(), JSON.parse('{"id":"half"}') as RunState);
    const run = await opened();
    expect((await state()).id).toBe(run.id);
    await run.stop();
  });
});

/** The processes of a group that still run. */
async function groupOf(leader: number): Promise<readonly number[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,pgid=,stat=']);
  const processes = stdout.split('\n').map((line) => line.trim().split(/\s+/));
  return processes
    .filter(([, group, state]) => Number(group) === leader && !state?.startsWith('Z'))
    .map(([pid]) => Number(pid));
}
