import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BindParameter, Connection } from 'oracledb';
import type { OracleDriver, OraclePool } from './oracle-driver.js';
import { toStoreError } from './oracle-errors.js';

export const statementNames = [
  'activate_config',
  'assign_slots',
  'find_active_config',
  'find_slot',
  'list_active_configs',
  'list_windows',
  'measure_load',
  'prune_slots',
  'release_slot',
] as const;

export type StatementName = (typeof statementNames)[number];

type NamedBinds = Record<string, BindParameter>;

export interface OracleStatements {
  query(name: StatementName, binds: NamedBinds, rowsAtOnce?: number): Promise<unknown[]>;
  /** Calls a procedure, commits, and returns the values of the OUT binds, in one round trip. */
  call(name: StatementName, binds: NamedBinds): Promise<unknown>;
}

export interface OracleOptions {
  /** The time limit of a round trip. */
  readonly callTimeoutMs?: number;
}

export function createStatements(
  pool: OraclePool,
  driver: OracleDriver,
  { callTimeoutMs = 30_000 }: OracleOptions,
): OracleStatements {
  const folder = join(__dirname, 'sql', 'oracle');
  const texts = new Map(
    statementNames.map((name) => [name, readFileSync(join(folder, `${name}.sql`), 'utf8')]),
  );
  const inSession = async <T>(work: (connection: Connection) => Promise<T>): Promise<T> => {
    let connection: Connection | undefined;
    try {
      connection = await pool.getConnection();
      connection.callTimeout = callTimeoutMs;
      return await work(connection);
    } catch (error) {
      throw toStoreError(error);
    } finally {
      // Rolls back what is open. A connection that cannot even be closed is gone, and its transaction with it.
      await connection?.close().catch(() => {});
    }
  };
  // As text, a calendar comes with its row; as a stream it would cost round trips of its own.
  const fetchTypeHandler = ({ dbType }: { dbType?: unknown }) =>
    dbType === driver.DB_TYPE_CLOB ? { type: driver.DB_TYPE_VARCHAR } : undefined;

  return {
    query: (name, binds, rowsAtOnce = 100) =>
      inSession(async (connection) => {
        const options = {
          outFormat: driver.OUT_FORMAT_OBJECT,
          fetchTypeHandler,
          fetchArraySize: rowsAtOnce,
        };
        const { rows } = await connection.execute<object>(texts.get(name) ?? '', binds, options);
        return (rows ?? []).map(underLowerCase);
      }),
    call: (name, binds) =>
      inSession(async (connection) => {
        const result = await connection.execute(texts.get(name) ?? '', binds, { autoCommit: true });
        return result.outBinds;
      }),
  };
}

/** A row under the names that PostgreSQL gives its columns. */
function underLowerCase(row: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name.toLowerCase(), value as unknown]),
  );
}
