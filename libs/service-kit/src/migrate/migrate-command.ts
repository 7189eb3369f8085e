import { z } from 'zod';
import { openOracleMigrations } from '../adapters/oracle-migrations.js';
import { openPgMigrations } from '../adapters/pg-migrations.js';
import { describeProblems } from '../config/configuration-error.js';
import { parseEnvironment } from '../config/parse-environment.js';
import { oracleUrl, postgresUrl } from '../config/variables.js';
import { describeError } from '../log/describe-error.js';
import type { HostProcess } from '../run/host-process.js';
import type { MigrationDatabase } from './migration-database.js';
import type { Dialect, Migration, MigrationSet } from './migration.js';
import { planMigrations } from './plan-migrations.js';
import { readMigrations } from './read-migrations.js';
import { migrateUp } from './run-migrations.js';

export interface MigratedApp {
  readonly name: string;
  readonly sets: readonly MigrationSet[];
}

/** The whole of an app's `migrate.ts`: `node migrate.js up` or `node migrate.js status`. */
export async function migrateCommand(app: MigratedApp): Promise<void> {
  process.exitCode = await migrateIn(app, process);
}

interface Target {
  readonly dialect: Dialect;
  readonly sets: readonly MigrationSet[];
  open(): Promise<MigrationDatabase>;
}

/** The same on any process; returns the exit code. */
export async function migrateIn(
  app: MigratedApp,
  host: Pick<HostProcess, 'env' | 'argv' | 'stdout' | 'stderr'>,
): Promise<number> {
  const command = { up, status }[host.argv[2] ?? ''];
  if (command === undefined || host.argv.length > 3) {
    host.stderr.write(`usage: node migrate.js up|status   (PG_URL or ORACLE_URL says where)\n`);
    return 2;
  }
  const say = (line: string): void => void host.stdout.write(`${line}\n`);
  try {
    const targets = targetsOf(app, host);
    if (targets === undefined) return 1;
    for (const target of targets) await command(target, say);
    return 0;
  } catch (error) {
    host.stderr.write(`${app.name} migrate: ${describeError(error)}\n`);
    return 1;
  }
}

/** With ORACLE_URL, the sets that know Oracle live there; everything else lives in PostgreSQL. */
function targetsOf(app: MigratedApp, host: Pick<HostProcess, 'env' | 'stderr'>): Target[] | undefined {
  const useOracle = (host.env['ORACLE_URL'] ?? host.env['ORACLE_URL_FILE'] ?? '') !== '';
  const inOracle = useOracle ? app.sets.filter(({ oracle }) => oracle !== undefined) : [];
  const inPg = app.sets.filter((set) => !inOracle.includes(set));
  const schema = z.object({
    PG_URL: inPg.length > 0 ? postgresUrl() : postgresUrl().optional(),
    ORACLE_URL: oracleUrl().optional(),
  });
  const parsed = parseEnvironment(schema, host.env, { prefix: '' });
  if (parsed.kind === 'invalid') {
    host.stderr.write(`${app.name} migrate cannot start: ${describeProblems(parsed.problems)}\n`);
    return undefined;
  }
  const { PG_URL: pgUrl = '', ORACLE_URL: url = '' } = parsed.config;
  const applicationName = `${app.name}-migrate`;
  const targets: Target[] = [
    { dialect: 'pg', sets: inPg, open: () => openPgMigrations({ url: pgUrl, applicationName }) },
    { dialect: 'oracle', sets: inOracle, open: () => openOracleMigrations(url) },
  ];
  return targets.filter(({ sets }) => sets.length > 0);
}

async function up(target: Target, say: (line: string) => void): Promise<void> {
  await withDatabase(target, async (database, files) => {
    say(`migrating ${database.address}`);
    const { applied, pending, newer } = await migrateUp(database, files, {
      applied: ({ component, name, marker }, ms) =>
        say(`  ${component} ${name}  applied in ${ms} ms  (${marker})`),
    });
    for (const { component, name } of newer)
      say(`  ${component} ${name}  is newer than this release; left alone`);
    say(`up to date: ${pending.length} applied now, ${applied.length} before`);
  });
}

async function status(target: Target, say: (line: string) => void): Promise<void> {
  await withDatabase(target, async (database, files) => {
    const ledger = await database.readLedger();
    const { applied, pending, newer, refusals } = planMigrations(files, ledger);
    const appliedAt = (file: Migration): string =>
      ledger.find((row) => row.component === file.component && row.version === file.version)?.appliedAt ?? '';
    say(`migrations of ${database.address}`);
    for (const file of applied) say(`  ${file.component} ${file.name}  applied ${appliedAt(file)}`);
    for (const file of pending) say(`  ${file.component} ${file.name}  pending  (${file.marker})`);
    for (const row of newer) say(`  ${row.component} ${row.name}  newer than this release`);
    if (refusals.length > 0)
      throw new Error(`the ledger and the files do not agree:\n  ${refusals.join('\n  ')}`);
  });
}

async function withDatabase(
  target: Target,
  work: (database: MigrationDatabase, files: Migration[]) => Promise<void>,
): Promise<void> {
  const files = readMigrations(target.sets, target.dialect);
  const database = await target.open();
  try {
    await work(database, files);
  } finally {
    // The session ends with its lock, also when the connection is already gone.
    await database.close().catch(() => {});
  }
}
