import { Client } from 'pg';
import { describeError } from '../log/describe-error.js';
import { redactUrl } from '../log/redact-text.js';
import type { MigrationDatabase } from '../migrate/migration-database.js';
import { MigrationError } from '../migrate/migration-error.js';
import type { AppliedMigration, Migration } from '../migrate/migration.js';
import { loadStatement } from './load-statement.js';
import { sqlState } from './pg-errors.js';

interface Queryable {
  query(text: string): Promise<{ rows: unknown[] }>;
}

interface LedgerRow {
  readonly component: string;
  readonly version: number;
  readonly name: string;
  readonly checksum: string;
  readonly applied_at: string;
}

const UNDEFINED_TABLE = '42P01';
const LOCK_NOT_AVAILABLE = '55P03';

/** The rows of the ledger; none when the table does not exist. */
export async function readPgLedger(db: Queryable): Promise<AppliedMigration[]> {
  try {
    const { rows } = await db.query(loadStatement('pg', 'read_migrations'));
    return (rows as LedgerRow[]).map(({ applied_at: appliedAt, ...row }) => ({ ...row, appliedAt }));
  } catch (error) {
    if (sqlState(error) === UNDEFINED_TABLE) return [];
    throw error;
  }
}

export interface PgMigrationOptions {
  readonly url: string;
  readonly applicationName: string;
  /** How long to wait for another runner. Default one minute. */
  readonly lockWaitMs?: number;
}

/**
 * A connection of its own, since the lock is the session's: should the connection break, the lock and the open
 * transaction end together, and no runner goes on without its lock.
 */
export async function openPgMigrations(options: PgMigrationOptions): Promise<MigrationDatabase> {
  const client = new Client({
    connectionString: options.url,
    application_name: options.applicationName,
    connectionTimeoutMillis: 5000,
    keepAlive: true,
  });
  // Without a listener a lost connection would end the process before the reason is told; the next query tells it.
  client.on('error', () => {});
  await client.connect();
  return {
    address: redactUrl(options.url) ?? 'PostgreSQL',
    readLedger: () => readPgLedger(client),
    takeLock: () => takeLock(client, options.lockWaitMs ?? 60_000),
    apply: (migration) => apply(client, migration),
    close: () => client.end(),
  };
}

async function takeLock(client: Client, waitMs: number): Promise<void> {
  await client.query("SELECT set_config('lock_timeout', $1, false)", [String(waitMs)]);
  try {
    await client.query(loadStatement('pg', 'take_migration_lock'));
  } catch (cause) {
    if (sqlState(cause) !== LOCK_NOT_AVAILABLE) throw cause;
    const message = `another migration runner held the lock for more than ${waitMs} ms; look for it in pg_stat_activity`;
    throw new MigrationError('MIGRATION_LOCKED', message, { cause });
  }
  await client.query(loadStatement('pg', 'create_migration_ledger'));
}

async function apply(client: Client, migration: Migration): Promise<{ executionMs: number }> {
  const { component, version, name, checksum } = migration;
  const startedAt = performance.now();
  try {
    // A migration may change settings of the session; the next one begins with clean ones. It waits only shortly for
    // the lock of a table, since all traffic on the table waits behind it.
    await client.query('RESET ALL');
    await client.query('BEGIN');
    await client.query("SET LOCAL lock_timeout = '15s'");
    const before = await transactionId(client);
    await client.query(migration.sql);
    if ((await transactionId(client)) !== before) {
      throw new Error('the file ended its transaction; it must contain no BEGIN, COMMIT or ROLLBACK');
    }
    const executionMs = Math.round(performance.now() - startedAt);
    await client.query(loadStatement('pg', 'insert_migration'), [
      component,
      version,
      name,
      checksum,
      executionMs,
    ]);
    await client.query('COMMIT');
    return { executionMs };
  } catch (cause) {
    const state = await client.query('ROLLBACK').then(
      () => 'failed and was rolled back',
      () => 'was interrupted (ask "status" whether it was applied)',
    );
    const message = `${component} ${name} ${state}: ${describeError(cause)}${place(cause, migration)}`;
    throw new MigrationError('MIGRATION_FAILED', message, { cause });
  }
}

async function transactionId(client: Client): Promise<string> {
  const { rows } = await client.query<{ id: string }>('SELECT pg_current_xact_id()::text AS id');
  return rows[0]?.id ?? '';
}

function place(error: unknown, { sql }: Migration): string {
  const position = error instanceof Error && 'position' in error ? Number(error.position) : NaN;
  return Number.isNaN(position) ? '' : ` (line ${sql.slice(0, position).split('\n').length})`;
}
