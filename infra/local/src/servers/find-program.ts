import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import type { Environment } from '../ports.js';

const answersWithinMs = 20_000;

/** The first of the programs that lies on the PATH. */
export async function findOnPath(
  names: readonly string[],
  environment: Environment,
): Promise<string | undefined> {
  const folders = (environment.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  for (const name of names) {
    for (const folder of folders) {
      const file = join(folder, name);
      if (await isProgram(file)) return file;
    }
  }
  return undefined;
}

/** What a program says of its version, as `1.2.3`; undefined when it does not run or says nothing like it. */
export async function versionOf(
  program: string,
  args: readonly string[],
  environment: Environment,
): Promise<string | undefined> {
  try {
    const { stdout, stderr } = await promisify(execFile)(program, [...args], {
      timeout: answersWithinMs,
      env: { ...environment },
    });
    return /\d+(\.\d+)+/.exec(`${stdout}\n${stderr}`)?.[0];
  } catch {
    return undefined;
  }
}

export function isAtLeast(found: string, wanted: string): boolean {
  const foundParts = found.split('.').map(Number);
  const wantedParts = wanted.split('.').map(Number);
  for (const [place, part] of wantedParts.entries()) {
    const difference = (foundParts[place] ?? 0) - part;
    if (difference !== 0) return difference > 0;
  }
  return true;
}

export async function isProgram(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}
