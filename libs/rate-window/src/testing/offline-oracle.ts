/**
 * The real driver without a server: its own statement parser, its own checks of binds and options, and an implementation
 * underneath that only writes down what it is given. Private modules of oracledb 26.0.0 are used here and nowhere else.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Connection, DbType } from 'oracledb';
import { createOracleRateConfigStore } from '../adapters/oracle-config-store.js';
import { loadOracleDriver } from '../adapters/oracle-driver.js';
import { createOracleSlotStore } from '../adapters/oracle-slot-store.js';
import { statementNames } from '../adapters/oracle-statements.js';

interface SentBind {
  readonly name: string;
  readonly dir: number;
  readonly type: DbType;
  readonly isArray: boolean;
  readonly maxArraySize?: number;
  readonly values: readonly unknown[];
}

export interface Call {
  readonly statement: string;
  readonly sql: string;
  readonly binds: readonly SentBind[];
  readonly options: { readonly autoCommit: boolean };
}

type Answer = { readonly outBinds?: unknown; readonly rows?: readonly Record<string, unknown>[] } | Error;

const load = createRequire(__filename);
export const driver = loadOracleDriver();
const OfflineConnection = load('oracledb/lib/connection.js') as new () => Connection;
const { Statement } = load('oracledb/lib/thin/statement.js') as {
  Statement: new () => { readonly bindInfoDict: Map<string, unknown>; _prepare(sql: string): void };
};

export function textOf(statement: string): string {
  return readFileSync(join(__dirname, '..', 'adapters', 'sql', 'oracle', `${statement}.sql`), 'utf8');
}

/** The binds that the driver finds in a text. */
export function bindNamesIn(sql: string): string[] {
  const statement = new Statement();
  statement._prepare(sql);
  return [...statement.bindInfoDict.keys()];
}

const nameOf = new Map(statementNames.map((name) => [textOf(name), name]));

/** Both stores over a connection that answers what it is told to. */
export function offlineStore(answers: Readonly<Record<string, Answer>>) {
  const calls: Call[] = [];
  const implementation = {
    _getConnImpl: () => implementation,
    _acquireLock: () => Promise.resolve(),
    _releaseLock: () => {},
    setCallTimeout: () => {},
    close: async () => {},
    // The signature is the driver's.
    // eslint-disable-next-line max-params
    async execute(sql: string, _rows: number, binds: readonly SentBind[], options: Call['options']) {
      const statement = nameOf.get(sql) ?? 'none of ours';
      calls.push({ statement, sql, binds, options });
      const answer = answers[statement] ?? {};
      if (answer instanceof Error) throw answer;
      if (/^SELECT/m.test(sql)) return { resultSet: resultOf(answer.rows ?? []) };
      return { outBinds: answer.outBinds };
    },
  };
  const pool = {
    getConnection: async () => Object.assign(new OfflineConnection(), { _impl: implementation }),
  };
  return { store: { ...createOracleSlotStore(pool), ...createOracleRateConfigStore(pool) }, calls };
}

function resultOf(rows: readonly Record<string, unknown>[]) {
  const none: number[] = [];
  const columns = Object.keys(rows[0] ?? {});
  return {
    metaData: columns.map((name) => ({ name })),
    ...{ nestedCursorIndices: none, lobIndices: none, dbObjectIndices: none, converterIndices: none },
    ...{ outFormat: driver.OUT_FORMAT_OBJECT, fetchArraySize: 1_000, maxRows: 0 },
    getRows: async () => rows.map((row) => columns.map((name) => row[name])),
    close: () => {},
  };
}
