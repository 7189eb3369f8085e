import { readFile, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname } from 'node:path';
import { LocalStackError } from '../errors.js';

export interface SystemUser {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/** PostgreSQL refuses to run as root; then it runs as one of these, the first that exists. */
const standIns = ['postgres', 'nobody'];

/** Who PostgreSQL must run as; undefined means as ourselves. */
export async function postgresUser(): Promise<SystemUser | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const users = parseUsers(await readFile('/etc/passwd', 'utf8'));
  for (const name of standIns) {
    const user = users.find((candidate) => candidate.name === name);
    if (user) return user;
  }
  throw new LocalStackError(
    'PROGRAM_MISSING',
    'PostgreSQL refuses to run as root, and there is neither a user postgres nor a user nobody.\nWays out:\n  run this as another user\n  set PG_URL to a running server',
  );
}

export function parseUsers(passwd: string): readonly SystemUser[] {
  return passwd
    .split('\n')
    .map((line) => line.split(':'))
    .filter((fields) => fields.length >= 4)
    .map(([name = '', , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }));
}

/** A folder for the data of runs whose parents every user may pass through. */
export async function openDataRoot(): Promise<string> {
  for (const folder of [tmpdir(), '/tmp', '/var/tmp']) {
    if (await isOpenToAll(folder)) return folder;
  }
  return tmpdir();
}

/** Whether any user may enter, and read, what lies there. */
export async function isOpenToAll(path: string): Promise<boolean> {
  const readAndEnter = 0o005;
  const enter = 0o001;
  for (let place = path, wanted = readAndEnter; ; place = dirname(place), wanted = enter) {
    const mode = await stat(place).then(
      (found) => found.mode,
      () => 0,
    );
    if ((mode & wanted) !== wanted) return false;
    if (place === dirname(place)) return true;
  }
}
