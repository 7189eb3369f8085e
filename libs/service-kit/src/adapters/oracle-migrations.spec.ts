import type { MigrationDatabase } from '../migrate/migration-database.js';
import type { Migration } from '../migrate/migration.js';
import type { OracleConnection, OracleDriver } from './oracle-driver.js';
import { openOracleMigrations } from './oracle-migrations.js';

type Executed = Awaited<ReturnType<OracleConnection['execute']>>;

interface Call {
  readonly connection: number;
  readonly sql: string;
  readonly binds: unknown;
  readonly options: unknown;
}

/** A driver that records what it is asked for and answers as the test wants. The server itself is tested elsewhere. */
async function open(answer: (sql: string) => Executed | Error = () => ({})) {
  const calls: Call[] = [];
  const closed: number[] = [];
  const attributes: unknown[] = [];
  const driver: OracleDriver = {
    OUT_FORMAT_OBJECT: 4002,
    async getConnection(given) {
      const connection = attributes.push(given);
      return {
        callTimeout: 0,
        async execute(sql, binds, options) {
          calls.push({ connection, sql, binds, options });
          const result = answer(sql);
          if (result instanceof Error) throw result;
          return result;
        },
        ping: async () => {},
        rollback: async () => {},
        close: async () => void closed.push(connection),
      };
    },
  };
  const database = await openOracleMigrations('oracle://app:p%40ss@db:1521/FREEPDB1', driver);
  return { database, calls, closed, attributes };
}

const oracleError = (code: string): Error => Object.assign(new Error(`${code}: text`), { code });

const migration: Migration = {
  component: 'demo',
  version: 1,
  name: '0001_a',
  marker: 'safe: online',
  sql: '-- safe: online\nCREATE TABLE a (id NUMBER);\n/\nBEGIN NULL; END;\n/\n',
  checksum: 'sum',
};

const apply = (database: MigrationDatabase): Promise<string> =>
  database.apply(migration).then(
    () => 'applied',
    (error: Error) => error.message,
  );

describe('openOracleMigrations', () => {
  it('opens a connection for the lock and another one for the work, and shows no password', async () => {
    const { database, attributes, closed } = await open();
    expect(attributes).toHaveLength(2);
    expect(attributes[0]).toMatchObject({ user: 'app', password: 'p@ss', connectString: 'db:1521/FREEPDB1' });
    expect(database.address).toBe('oracle://app:***@db:1521/FREEPDB1');
    await database.close();
    expect(closed.sort()).toEqual([1, 2]);
  });

  it('holds the lock where no DDL runs', async () => {
    const { database, calls } = await open();
    await database.takeLock();
    await database.apply(migration);
    expect(
      calls.filter(({ sql }) => /FOR UPDATE WAIT/.test(sql)).map(({ connection }) => connection),
    ).toEqual([1]);
    expect(
      calls.filter(({ sql }) => !/FOR UPDATE WAIT/.test(sql)).every(({ connection }) => connection === 2),
    ).toBe(true);
  });

  it.each(['ORA-30006', 'ORA-00054'])(
    'says who is in the way when the lock cannot be had: %s',
    async (code) => {
      const { database } = await open((sql) => (/FOR UPDATE/.test(sql) ? oracleError(code) : {}));
      await expect(database.takeLock()).rejects.toMatchObject({ code: 'MIGRATION_LOCKED', retryable: true });
    },
  );

  it('sends one statement a call, then the row of the ledger, committed', async () => {
    const { database, calls } = await open();
    expect(await apply(database)).toBe('applied');
    expect(calls.map(({ sql }) => sql.split('\n').at(-1)?.slice(0, 26))).toEqual([
      'CREATE TABLE a (id NUMBER)',
      'BEGIN NULL; END;',
      ...calls.slice(2).map(({ sql }) => sql.split('\n').at(-1)?.slice(0, 26)),
    ]);
    expect(calls).toHaveLength(3);
    expect(calls[2]).toMatchObject({
      binds: { component: 'demo', version: 1, name: '0001_a', checksum: 'sum' },
      options: { autoCommit: true },
    });
  });

  it('tells at which statement it failed and what has to be undone', async () => {
    const { database, calls } = await open((sql) =>
      sql.startsWith('BEGIN NULL') ? oracleError('ORA-06550') : {},
    );
    expect(await apply(database)).toMatch(
      /demo 0001_a failed at statement 2 of 2: ORA-06550: text\. DDL cannot be rolled back: undo the 1 statements/,
    );
    expect(calls.some(({ sql }) => /INSERT INTO sluice_schema_migrations/.test(sql))).toBe(false);
  });

  it('takes a unit that was created with compile errors as failed, with the reasons', async () => {
    const { database } = await open((sql) => {
      if (/user_errors/.test(sql)) return { rows: [{ PROBLEM: 'P line 3: PLS-00103: found a semicolon\n' }] };
      return sql.startsWith('BEGIN NULL') ? { warning: new Error('ORA-24344') } : {};
    });
    expect(await apply(database)).toContain('created with compile errors: P line 3: PLS-00103');
  });

  it('reads the ledger, and none where there is no table', async () => {
    const rows = [
      { COMPONENT: 'demo', VERSION: 1, NAME: '0001_a', CHECKSUM: 'sum', APPLIED_AT: '2026-01-01T00:00:00Z' },
    ];
    const { database } = await open(() => ({ rows }));
    expect(await database.readLedger()).toEqual([
      { component: 'demo', version: 1, name: '0001_a', checksum: 'sum', appliedAt: '2026-01-01T00:00:00Z' },
    ]);
    const fresh = await open(() => oracleError('ORA-00942'));
    expect(await fresh.database.readLedger()).toEqual([]);
    const broken = await open(() => oracleError('NJS-500'));
    await expect(broken.database.readLedger()).rejects.toThrow('NJS-500');
  });
});
