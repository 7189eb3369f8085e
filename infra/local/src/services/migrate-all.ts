import { execFile } from 'node:child_process';
import { access, glob } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { LocalStackError, messageOf } from '../errors.js';

const migratesWithinMs = 60_000;

/** Brings a database to the schema of all apps, each with its own command, so that services accept it. */
export async function migrateAll(repository: string, pgUrl: string): Promise<void> {
  for (const app of await appsWithMigrations(repository)) await migrate(app, pgUrl);
}

async function appsWithMigrations(repository: string): Promise<readonly string[]> {
  const folders: string[] = [];
  for await (const source of glob('apps/*/src/migrate.ts', { cwd: repository })) {
    folders.push(join(repository, dirname(dirname(source))));
  }
  return folders.sort();
}

async function migrate(app: string, pgUrl: string): Promise<void> {
  const command = join(app, 'dist', 'migrate.js');
  const buildIt = `Run \`npx nx build ${basename(app)}\`, or \`npm run build\` for all.`;
  await access(command).catch(() => {
    throw new LocalStackError('NOT_BUILT', `${command} is not there. ${buildIt}`);
  });
  const env = { PATH: process.env.PATH, PG_URL: pgUrl };
  await promisify(execFile)(process.execPath, [command, 'up'], { env, timeout: migratesWithinMs }).catch(
    (error: unknown) => {
      const message = `The migrations of ${basename(app)} failed; is the build older than the sources? ${buildIt}\n${messageOf(error)}`;
      throw new LocalStackError('NOT_READY', message, { cause: error });
    },
  );
}
