import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openOracleMigrations } from '../adapters/oracle-migrations.js';
import { openPgMigrations } from '../adapters/pg-migrations.js';
import type { MigrationDatabase } from './migration-database.js';
import type { Dialect, Migration } from './migration.js';
import { readMigrations } from './read-migrations.js';
import { migrateUp } from './run-migrations.js';

const { PG_URL: pgUrl = '', ORACLE_URL: oracleUrl = '', TEST_NAME: testName = 'local' } = process.env;

interface Harness {
  readonly dialect: Dialect;
  readonly open: () => Promise<MigrationDatabase>;
  /** Statements with the separator of the dialect. */
  readonly script: (...statements: string[]) => string;
}

const harnesses: Harness[] = [
  {
    dialect: 'pg',
    open: () => openPgMigrations({ url: pgUrl, applicationName: 'kit-migrate', lockWaitMs: 20_000 }),
    script: (...statements) => statements.map((statement) => `${statement};\n`).join(''),
  },
];
if (oracleUrl !== '') {
  harnesses.push({
    dialect: 'oracle',
    open: () => openOracleMigrations(oracleUrl),
    script: (...statements) => statements.map((statement) => `${statement}\n/\n`).join(''),
  });
} else {
  process.stderr.write(
    '\nNOT RUN: the migration runner on Oracle; set ORACLE_URL=oracle://user:password@host:port/service\n',
  );
}

describe.each(harnesses)('migrations on $dialect', ({ dialect, open, script }) => {
  const component = `kit-${testName}-${Date.now()}`;
  const table = `kit_${Date.now() % 100_000_000}`;
  const folder = mkdtempSync(join(tmpdir(), 'migrations-'));
  const write = (file: string, ...statements: string[]): void =>
    writeFileSync(join(folder, file), `-- safe: online\n${script(...statements)}`);
  const read = (): Migration[] => readMigrations([{ component, pg: folder, oracle: folder }], dialect);
  const quiet = { applied: (): void => {} };

  const withDatabase = async <T>(work: (database: MigrationDatabase) => Promise<T>): Promise<T> => {
    const database = await open();
    try {
      return await work(database);
    } finally {
      await database.close();
    }
  };
  const up = (): Promise<string[]> =>
    withDatabase(async (database) => {
      const applied: string[] = [];
      await migrateUp(database, read(), { applied: ({ name }) => applied.push(name) });
      return applied;
    });
  const ledger = async (): Promise<string[]> => {
    const rows = await withDatabase((database) => database.readLedger());
    return rows.filter((row) => row.component === component).map(({ name }) => name);
  };

  afterAll(() => rmSync(folder, { recursive: true }));

  it('applies what is pending once when several runners begin together', async () => {
    write('0001_create.sql', `CREATE TABLE ${table}_a (id INTEGER)`, `INSERT INTO ${table}_a VALUES (1)`);
    write('0002_more.sql', `CREATE TABLE ${table}_b (id INTEGER)`);
    const applied = await Promise.all([up(), up(), up()]);
    expect(applied.flat().sort()).toEqual(['0001_create', '0002_more']);
    expect(await ledger()).toEqual(['0001_create', '0002_more']);
  });

  it('applies only what is new afterwards, and nothing the second time', async () => {
    write('0003_index.sql', `CREATE INDEX ${table}_i ON ${table}_a (id)`);
    expect(await up()).toEqual(['0003_index']);
    expect(await up()).toEqual([]);
  });

  it('names the file that fails, keeps what went before, and goes on when it is mended', async () => {
    write('0004_good.sql', `CREATE TABLE ${table}_c (id INTEGER)`);
    write('0005_bad.sql', `CREATE INDEX ${table}_j ON ${table}_missing (id)`);
    await expect(up()).rejects.toMatchObject({
      code: 'MIGRATION_FAILED',
      message: expect.stringContaining(`${component} 0005_bad`) as string,
    });
    expect(await ledger()).toEqual(['0001_create', '0002_more', '0003_index', '0004_good']);
    write('0005_bad.sql', `CREATE TABLE ${table}_d (id INTEGER)`);
    expect(await up()).toEqual(['0005_bad']);
  });

  it('refuses a file that was changed after it had been applied, and applies nothing then', async () => {
    const files = read().map((file) => (file.version === 2 ? { ...file, checksum: 'edited' } : file));
    const extra: Migration = {
      component,
      version: 6,
      name: '0006_x',
      marker: '',
      sql: 'DROP TABLE x',
      checksum: 'x',
    };
    const refused = withDatabase((database) => migrateUp(database, [...files, extra], quiet));
    await expect(refused).rejects.toMatchObject({
      code: 'MIGRATION_REFUSED',
      message: expect.stringContaining('0002_more was changed') as string,
    });
    expect(await ledger()).toHaveLength(5);
  });

  it('leaves alone what a newer release has applied', async () => {
    const older = read().slice(0, 2);
    const plan = await withDatabase((database) => migrateUp(database, older, quiet));
    expect(plan.pending).toEqual([]);
    expect(plan.newer.map(({ name }) => name)).toEqual(['0003_index', '0004_good', '0005_bad']);
  });
});
