import { describeError } from '../log/describe-error.js';
import { redactUrl } from '../log/redact-text.js';
import type { MigrationDatabase } from '../migrate/migration-database.js';
import { MigrationError } from '../migrate/migration-error.js';
import type { AppliedMigration, Migration } from '../migrate/migration.js';
import { loadStatement } from './load-statement.js';
import { loadOracleDriver, oracleAttributes, oracleCode } from './oracle-driver.js';
import type { OracleConnection, OracleDriver } from './oracle-driver.js';
import { splitOracleScript } from './split-oracle-script.js';

interface LedgerRow {
  readonly COMPONENT: string;
  readonly VERSION: number;
  readonly NAME: string;
  readonly CHECKSUM: string;
  readonly APPLIED_AT: string;
}

const NO_SUCH_TABLE = 'ORA-00942';
const LOCK_WAIT_OVER = new Set(['ORA-30006', 'ORA-00054']);

interface Sessions {
  readonly driver: OracleDriver;
  /** Holds the lock row and does nothing else: DDL would commit and let it go. */
  readonly lock: OracleConnection;
  readonly work: OracleConnection;
}

/** Two connections, one for the lock and one for the work. */
export async function openOracleMigrations(
  url: string,
  driver: OracleDriver = loadOracleDriver(),
): Promise<MigrationDatabase> {
  const attributes = oracleAttributes(url);
  const lock = await driver.getConnection(attributes);
  const work = await driver.getConnection(attributes).catch(async (error: unknown) => {
    await lock.close();
    throw error;
  });
  // Limit of one round trip; the lock's WAIT is shorter and ends it in order.
  lock.callTimeout = 90_000;
  const sessions = { driver, lock, work };
  return {
    address: redactUrl(url) ?? 'Oracle',
    readLedger: () => readLedger(sessions),
    takeLock: () => takeLock(sessions),
    apply: (migration) => apply(sessions, migration),
    async close() {
      // To close a connection rolls back, and so releases the lock row.
      await Promise.all([lock.close(), work.close()]);
    },
  };
}

async function readLedger({ driver, work }: Sessions): Promise<AppliedMigration[]> {
  try {
    const { rows = [] } = await work.execute(
      loadStatement('oracle', 'read_migrations'),
      {},
      { outFormat: driver.OUT_FORMAT_OBJECT },
    );
    return (rows as LedgerRow[]).map((row) => ({
      component: row.COMPONENT,
      version: row.VERSION,
      name: row.NAME,
      checksum: row.CHECKSUM,
      appliedAt: row.APPLIED_AT,
    }));
  } catch (error) {
    if (oracleCode(error) === NO_SUCH_TABLE) return [];
    throw error;
  }
}

async function takeLock({ lock, work }: Sessions): Promise<void> {
  await work.execute(loadStatement('oracle', 'create_migration_ledger'), {}, {});
  await work.execute('ALTER SESSION SET DDL_LOCK_TIMEOUT = 15', {}, {});
  try {
    await lock.execute(loadStatement('oracle', 'take_migration_lock'), {}, {});
  } catch (cause) {
    if (!LOCK_WAIT_OVER.has(oracleCode(cause) ?? '')) throw cause;
    const message =
      'another migration runner holds the row of sluice_schema_lock; wait for it, or find its session';
    throw new MigrationError('MIGRATION_LOCKED', message, { cause });
  }
}

async function apply(
  { driver, lock, work }: Sessions,
  migration: Migration,
): Promise<{ executionMs: number }> {
  const { component, version, name, checksum } = migration;
  const statements = splitOracleScript(migration.sql);
  const startedAt = performance.now();
  let done = 0;
  try {
    // The work has a connection of its own, so that it would outlive a lost lock unseen.
    await lock.ping();
    for (const statement of statements) {
      const { warning } = await work.execute(statement, {}, {});
      if (warning !== undefined) throw new Error(await compileErrors({ driver, work }), { cause: warning });
      done += 1;
    }
    const executionMs = Math.round(performance.now() - startedAt);
    const row = { component, version, name, checksum, execution_ms: executionMs };
    await work.execute(loadStatement('oracle', 'insert_migration'), row, { autoCommit: true });
    return { executionMs };
  } catch (cause) {
    await work.rollback().catch(() => {});
    const message =
      `${component} ${name} failed at statement ${done + 1} of ${statements.length}: ${describeError(cause)}. ` +
      `DDL cannot be rolled back: undo the ${done} statements before it by hand, then run it again`;
    throw new MigrationError('MIGRATION_FAILED', message, { cause });
  }
}

/** A unit with compile errors is created all the same and only warned about; the reasons stand in USER_ERRORS. */
async function compileErrors({ driver, work }: Pick<Sessions, 'driver' | 'work'>): Promise<string> {
  const { rows = [] } = await work.execute(
    `SELECT name || ' line ' || line || ': ' || text AS problem FROM user_errors
      WHERE attribute = 'ERROR' ORDER BY name, sequence FETCH FIRST 10 ROWS ONLY`,
    {},
    { outFormat: driver.OUT_FORMAT_OBJECT },
  );
  const problems = (rows as { readonly PROBLEM: string }[]).map(({ PROBLEM }) => PROBLEM.trim());
  return `created with compile errors: ${problems.join('; ')}`;
}
