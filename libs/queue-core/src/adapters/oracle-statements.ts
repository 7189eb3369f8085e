import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BindDefinition, BindParameter, Connection } from 'oracledb';
import { toRow } from './oracle-binds.js';
import type { OracleDriver, OraclePool } from './oracle-driver.js';
import { toStoreError } from './oracle-errors.js';
import { statementNames as sharedNames } from './pg-statements.js';

/** Those of PostgreSQL, and the second half of the claim: a PL/SQL call can return no list of CLOBs. */
export const statementNames = [...sharedNames, 'read_claimed_items'] as const;

export type StatementName = (typeof statementNames)[number];

type NamedBinds = Record<string, BindParameter>;

export type BindRow = Record<string, string | number | Date>;

/** One connection. What was not committed when the work ends is rolled back. */
export interface OracleSession {
  query<R>(name: StatementName, binds: NamedBinds, rowsAtOnce?: number): Promise<R[]>;
  /** Returns the values of the OUT binds. */
  execute<O>(name: StatementName, binds: NamedBinds, options: { readonly autoCommit: boolean }): Promise<O>;
  /** The same for many rows in one call; never commits. */
  executeMany<O>(
    name: StatementName,
    rows: BindRow[],
    bindDefs: Record<string, BindDefinition>,
  ): Promise<O[]>;
  commit(): Promise<void>;
}

export type InSession = <T>(
  operation: StatementName,
  work: (session: OracleSession) => Promise<T>,
) => Promise<T>;

export function createSessions(
  pool: OraclePool,
  driver: OracleDriver,
  options: { readonly callTimeoutMs: number },
): InSession {
  const texts = loadTexts();
  return async (operation, work) => {
    let connection: Connection | undefined;
    try {
      connection = await pool.getConnection();
      connection.callTimeout = options.callTimeoutMs;
      return await work(openSession(connection, driver, texts));
    } catch (error) {
      throw toStoreError(operation, error);
    } finally {
      // Rolls back what is open. A connection that cannot even be closed is gone, and its transaction with it.
      await connection?.close().catch(() => {});
    }
  };
}

function loadTexts(): ReadonlyMap<StatementName, string> {
  const folder = join(__dirname, 'sql', 'oracle');
  return new Map(statementNames.map((name) => [name, readFileSync(join(folder, `${name}.sql`), 'utf8')]));
}

function openSession(
  connection: Connection,
  driver: OracleDriver,
  texts: ReadonlyMap<StatementName, string>,
): OracleSession {
  const textOf = (name: StatementName) => texts.get(name) ?? '';
  // As text, a CLOB comes with its row; as a stream it would cost round trips of its own.
  const fetchTypeHandler = ({ dbType }: { dbType?: unknown }) =>
    dbType === driver.DB_TYPE_CLOB ? { type: driver.DB_TYPE_VARCHAR } : undefined;
  // A transaction has several statements; the failure is that of one.
  const named = <T>(name: StatementName, work: Promise<T>): Promise<T> =>
    work.catch((error: unknown) => {
      throw toStoreError(name, error);
    });
  return {
    async query<R>(name: StatementName, binds: NamedBinds, rowsAtOnce = 100) {
      const options = {
        outFormat: driver.OUT_FORMAT_OBJECT,
        fetchTypeHandler,
        fetchArraySize: rowsAtOnce,
      };
      const result = await named(
        name,
        connection.execute<Record<string, unknown>>(textOf(name), binds, options),
      );
      return (result.rows ?? []).map((row) => toRow<R>(row));
    },
    async execute<O>(name: StatementName, binds: NamedBinds, options: { autoCommit: boolean }) {
      const result = await named(name, connection.execute<O>(textOf(name), binds, options));
      return (result.outBinds ?? {}) as O;
    },
    async executeMany<O>(name: StatementName, rows: BindRow[], bindDefs: Record<string, BindDefinition>) {
      // No autoCommit: the driver sends the first row of a new PL/SQL call alone, and would commit it alone.
      const options = { bindDefs, autoCommit: false };
      const result = await named(name, connection.executeMany<O>(textOf(name), rows, options));
      return result.outBinds ?? [];
    },
    commit: () => connection.commit(),
  };
}
