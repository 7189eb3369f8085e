import { access, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { openDataRoot, postgresUser } from '../servers/postgres-user.js';
import type { Stack } from '../servers/start-servers.js';
import { urlOfDatabase } from './databases.js';
import type { TestRun } from './test-run.js';

const marker = 'kept-run';

/** Leaves the databases of failed test files where they are, and says how to look at them. */
export async function keepFailures(stack: Stack, run: TestRun): Promise<string | undefined> {
  const databases = await readdir(run.keptFolder);
  if (databases.length === 0) return undefined;
  const lines = await Promise.all(databases.map(async (name) => `  ${name}  ${await fileOf(run, name)}`));
  const [first = ''] = databases;
  const look = `Look at one:      psql ${urlOfDatabase(run.pgUrl, first)}`;
  if (!stack.started.includes('postgres')) {
    return [
      'The databases of test files that failed are kept on the server that PG_URL names:',
      ...lines,
      look,
    ].join('\n');
  }
  await writeFile(join(stack.folder, marker), '');
  stack.keepFolder();
  return [
    `The databases of test files that failed, and all logs, are kept in ${stack.folder} until the next run:`,
    ...lines,
    `Start the server: ${await startCommand(stack.folder)}`,
    look,
  ].join('\n');
}

/** Removes what earlier runs have kept, but not from under a server that someone has started on it. */
export async function removeKeptRuns(): Promise<void> {
  const root = await openDataRoot();
  const folders = (await readdir(root))
    .filter((name) => /^sluice-\d+-/.test(name))
    .map((name) => join(root, name));
  for (const folder of folders) {
    const isKept = await exists(join(folder, marker));
    const isInUse = await exists(join(folder, 'postgres', 'postmaster.pid'));
    if (isKept && !isInUse) await rm(folder, { recursive: true, force: true });
  }
}

/** PostgreSQL notes beside its data how it was called. */
async function startCommand(folder: string): Promise<string> {
  const command = (await readFile(join(folder, 'postgres', 'postmaster.opts'), 'utf8')).trim();
  const user = await postgresUser();
  return user ? `setpriv --reuid=${user.uid} --regid=${user.gid} --clear-groups ${command}` : command;
}

async function fileOf(run: TestRun, database: string): Promise<string> {
  return relative(process.cwd(), await readFile(join(run.keptFolder, database), 'utf8'));
}

async function exists(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    () => false,
  );
}
