import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { namedPorts, portTable } from '../src/ports.js';
import { takenPorts } from '../src/taken-ports.js';

const program = join(__dirname, '..', 'dist', 'main.js');
/** Away from the ports of a person's own stack, of the integration tests and of outgoing connections. */
const bases = [9000, 8000, 6000, 4000];
let portBase: string;

async function freeBase(): Promise<string> {
  for (const base of bases) {
    if ((await takenPorts(namedPorts(portTable(base)))).length === 0) return String(base);
  }
  throw new Error(`some port of each base is taken: ${bases.join(', ')}`);
}

interface Start {
  readonly child: ChildProcess;
  readonly exited: Promise<unknown[]>;
  output(): string;
  /** Waits until the output holds the text, or fails with all that was said when the process ends first. */
  says(text: string): Promise<void>;
}

function start(...flags: string[]): Start {
  const child = spawn(process.execPath, ['--disable-warning=TimeoutNegativeWarning', program, ...flags], {
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      XDG_CACHE_HOME: process.env['XDG_CACHE_HOME'],
      SLUICE_PORT_BASE: portBase,
      CI: 'true',
    },
  });
  let output = '';
  child.stdout.on('data', (chunk) => (output += String(chunk)));
  child.stderr.on('data', (chunk) => (output += String(chunk)));
  const exited = once(child, 'exit');
  return {
    child,
    exited,
    output: () => output,
    async says(text) {
      while (!output.includes(text)) {
        if (child.exitCode !== null || child.signalCode !== null)
          throw new Error(`ended without saying "${text}":\n${output}`);
        await Promise.race([once(child.stdout, 'data'), exited]);
      }
    },
  };
}

function count(output: string, label: string): number {
  const found = new RegExp(`^\\s*${label}\\D*(\\d+)$`, 'm').exec(output);
  return Number(found?.[1] ?? Number.NaN);
}

describe('npm start', () => {
  let first: Start;

  beforeAll(async () => {
    portBase = await freeBase();
    first = start();
    await first.says('Ctrl-C stops everything');
  }, 400_000);

  afterAll(async () => {
    if (first.child.exitCode === null && first.child.signalCode === null) first.child.kill('SIGINT');
    await first.exited;
  }, 60_000);

  it('takes a herd of 200 payments all the way, each once, by the ledgers of the rail and the sink', () => {
    const output = first.output();
    expect({
      accepted: count(output, 'accepted by ingest'),
      dispatched: count(output, 'dispatched'),
      executed: count(output, 'executed'),
      notified: count(output, 'notified'),
      lost: count(output, 'lost'),
      doubled: count(output, 'doubled'),
      outOfOrder: count(output, 'out of order'),
    }).toEqual({
      accepted: 200,
      dispatched: 200,
      executed: 200,
      notified: 200,
      lost: 0,
      doubled: 0,
      outOfOrder: 0,
    });
  });

  it('refuses a second start on the same ports and says how to have both', async () => {
    const second = start('--payments', '0', '--once');
    expect(await second.exited).toEqual([1, null]);
    expect(second.output()).toMatch(
      new RegExp(`runs already on the ports from ${portBase}[\\s\\S]*SLUICE_PORT_BASE=`),
    );
  }, 60_000);

  it('leaves nothing behind when it is killed that would stop the next start, which stops in order by itself', async () => {
    first.child.kill('SIGKILL');
    await first.exited;
    const next = start('--payments', '4', '--once');
    expect({ exit: await next.exited, said: next.output() }).toEqual({
      exit: [0, null],
      said: expect.stringContaining('Stopped.') as string,
    });
    expect(count(next.output(), 'executed')).toBe(4);
    expect(await processesOfTheStack()).toEqual([]);
  }, 200_000);

  it('stops everything on Ctrl-C, also while it is still starting', async () => {
    const interrupted = start('--once');
    await interrupted.says('starting');
    interrupted.child.kill('SIGINT');
    await interrupted.exited;
    expect(await processesOfTheStack()).toEqual([]);
  }, 60_000);
});

/** Programs of this stack that are still there, found by the port base that their folders are named after. */
async function processesOfTheStack(): Promise<string[]> {
  const found: string[] = [];
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (command.includes(`sluice-${portBase}-`)) found.push(command.replaceAll('\0', ' '));
  }
  return found;
}
