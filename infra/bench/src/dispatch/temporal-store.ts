import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/** What Temporal holds at one moment, read from its own database. */
export interface Holdings extends Record<string, number> {
  readonly openExecutions: number;
  /** Timers that workflows wait for. */
  readonly pendingTimers: number;
  /** Timer tasks of any kind in the second, around the instant, in which most are due. */
  readonly dueInBusiestSecond: number;
  readonly rows: number;
  readonly fileBytes: number;
}

const running = 1;
const waitsForLockMs = 5_000;
const aroundMs = 60_000;

/** Read-only, and short: while it reads, the server cannot commit. */
export function readHoldings(file: string, instant: Date): Holdings {
  return reading(file, (database) => ({
    openExecutions: numberOf(
      database,
      `SELECT count(*) AS n FROM executions_visibility WHERE status = ${running}`,
    ),
    pendingTimers: numberOf(database, 'SELECT count(*) AS n FROM timer_info_maps'),
    dueInBusiestSecond: busiestSecond(database, instant),
    rows: countRows(database),
    fileBytes: statSync(file).size,
  }));
}

export interface Execution {
  readonly startedAtMs: number;
  readonly closedAtMs: number | undefined;
}

/** The executions of one workflow type. */
export function readExecutions(file: string, workflowType: string): readonly Execution[] {
  return reading(file, (database) =>
    database
      .prepare('SELECT start_time, close_time FROM executions_visibility WHERE workflow_type_name = ?')
      .all(workflowType)
      .map(({ start_time, close_time }) => ({
        startedAtMs: Date.parse(String(start_time)),
        closedAtMs: close_time === null ? undefined : Date.parse(String(close_time)),
      })),
  );
}

function reading<T>(file: string, read: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(file, { readOnly: true, timeout: waitsForLockMs });
  try {
    return read(database);
  } finally {
    database.close();
  }
}

/** Times are kept as text in UTC, so that their order is that of their characters and a second is a prefix. */
function busiestSecond(database: DatabaseSync, instant: Date): number {
  const text = (ms: number): string => new Date(ms).toISOString().replace('T', ' ').replace('Z', '');
  const row = database
    .prepare(
      `SELECT count(*) AS n FROM timer_tasks WHERE visibility_timestamp BETWEEN ? AND ?
        GROUP BY substr(visibility_timestamp, 1, 19) ORDER BY n DESC LIMIT 1`,
    )
    .get(text(instant.getTime() - aroundMs), text(instant.getTime() + aroundMs));
  return Number(row?.n ?? 0);
}

/** Of all its tables but those that SQLite keeps for its full-text indexes. */
function countRows(database: DatabaseSync): number {
  const tables = database
    .prepare(
      `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '%\\_fts\\_%' ESCAPE '\\'`,
    )
    .all();
  return tables.reduce(
    (sum, { name }) => sum + numberOf(database, `SELECT count(*) AS n FROM "${String(name)}"`),
    0,
  );
}

function numberOf(database: DatabaseSync, statement: string): number {
  return Number(database.prepare(statement).get()?.n ?? 0);
}
