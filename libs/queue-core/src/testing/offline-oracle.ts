/**
 * The real driver without a server: its own statement parser, its own checks of binds and options, and an implementation
 * underneath that only writes down what it is given. Private modules of oracledb 26.0.0 are used here and nowhere else.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Connection, DbType } from 'oracledb';
import { loadOracleDriver } from '../adapters/oracle-driver.js';
import { createOracleQueue } from '../adapters/oracle-queue.js';
import { statementNames } from '../adapters/oracle-statements.js';
import { newItem, settings } from './harness.js';

interface SentBind {
  readonly name: string;
  readonly dir: number;
  readonly type: DbType;
  readonly isArray: boolean;
  readonly maxSize?: number;
  readonly maxArraySize?: number;
  readonly values: readonly unknown[];
}

export interface Call {
  readonly statement: string;
  readonly sql: string;
  readonly binds: readonly SentBind[];
  readonly options: { readonly autoCommit: boolean; readonly fetchTypeHandler?: (column: object) => unknown };
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

/** What a store with one claimed item would answer; a statement that is not named here answers nothing. */
const usualAnswers: Readonly<Record<string, Answer>> = {
  claim_batch: {
    outBinds: { claimed_at: '2026-05-01T16:00:00.000001', claimed: 1, reclaimed: [], exhausted: [] },
  },
  read_claimed_items: { rows: [{ ITEM_ID: 'a', CONTEXT_JSON: '{}', CONTEXT_VERSION: 1 }] },
  enqueue_items: { outBinds: [{ outcome: 'present' }, { outcome: 'enqueued' }] },
  compare_contexts: { outBinds: [{ outcome: 'duplicate' }] },
  find_item: { rows: [{ ITEM_TYPE: 'INVOICE', ITEM_ID: 'a', DISPATCH_BATCH_ID: null }] },
  write_config: { outBinds: { outcome: 'changed' } },
  switch_dispatch: { outBinds: { outcome: 'unknown' } },
  cancel_items: { outBinds: { changed: ['b'] } },
  requeue_items: { outBinds: { changed: [] } },
  read_statuses: { outBinds: { statuses: ['CLAIMED', null] } },
  measure_minutes: { outBinds: { minutes: ['2026-05-01T16:00:00Z'], ready: [11] } },
  list_changes: { rows: [{ AUDIT_ID: '7', ACTION: 'CANCELLED' }, { AUDIT_ID: '6' }] },
  list_exhausted: {
    rows: [
      { ITEM_ID: 'a', CURSOR_AT: '2026-05-01T16:00:00.000001Z' },
      { ITEM_ID: 'b', CURSOR_AT: '2026-05-01T16:00:00.000002Z' },
    ],
  },
};

export function offlineQueue(answers: Readonly<Record<string, Answer>> = {}) {
  const calls: Call[] = [];
  const events: string[] = [];
  const implementation = {
    _getConnImpl: () => implementation,
    _acquireLock: () => Promise.resolve(),
    _releaseLock: () => {},
    setCallTimeout: (ms: number) => void events.push(`limit ${ms}`),
    commit: async () => void events.push('commit'),
    close: async () => void events.push('close'),
    // The signature is the driver's.
    // eslint-disable-next-line max-params
    async execute(sql: string, _rows: number, binds: readonly SentBind[], options: Call['options']) {
      const statement = nameOf.get(sql) ?? 'none of ours';
      calls.push({ statement, sql, binds, options });
      events.push(`${statement}${options.autoCommit ? ' and commit' : ''}`);
      const answer = { ...usualAnswers, ...answers }[statement] ?? {};
      if (answer instanceof Error) throw answer;
      if (/^(?:SELECT|WITH)/m.test(sql)) return { resultSet: resultOf(answer.rows ?? []) };
      return { outBinds: answer.outBinds };
    },
  };
  const getConnection = async () => Object.assign(new OfflineConnection(), { _impl: implementation });
  return { queue: createOracleQueue({ getConnection }), getConnection, calls, events };
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

export const claimed = { itemType: 'INVOICE', token: 'T' };
const failures = [{ itemId: 'a', error: '' }];

/** Every method of the port once, with every statement sent. */
export async function useEverything() {
  const offline = offlineQueue();
  const { queue } = offline;
  const outcomes = await queue.enqueue([newItem('INVOICE', 'b'), newItem('INVOICE', 'a')]);
  const claim = await queue.claim({ ...claimed, limit: 5 });
  await queue.markDispatched({
    ...claimed,
    items: [{ itemId: 'a', execWorkflowId: 'w', alreadyStarted: false }],
  });
  await queue.returnToReady({ ...claimed, failures });
  await queue.release({ ...claimed, itemIds: ['a'], reason: '' });
  await queue.exhaust({ ...claimed, failures });
  await queue.recordCycle({ itemType: 'INVOICE', batchId: 'T', detail: '{}' });
  await queue.readConfig('INVOICE');
  await queue.listConfigs();
  await queue.writeConfig({ itemType: 'INVOICE', config: settings, by: 'ann' });
  await queue.findItem('INVOICE', 'a');
  await queue.measureDepth('INVOICE', 10);
  const order = { itemType: 'INVOICE', itemIds: ['c', 'b', 'a'], reason: '', by: 'ann' };
  const cancelled = await queue.cancel(order);
  await queue.requeue({ ...order, itemIds: ['a'] });
  await queue.switchDispatch({ itemType: 'INVOICE', enabled: false, reason: 'x', by: 'ann' });
  await queue.recordAction({ itemType: 'INVOICE', action: 'CYCLE_TRIGGERED', reason: 'x', by: 'ann' });
  await queue.listChanges({ itemType: 'INVOICE', limit: 1 });
  const page = await queue.listExhausted({
    itemType: 'INVOICE',
    filter: { exhaustedFrom: new Date(0) },
    after: { at: '2026-05-01T16:00:00.123Z', itemId: 'x' },
    limit: 1,
  });
  const from = new Date(0);
  const minutes = await queue.measureMinutes({ itemType: 'INVOICE', from, minutes: 3, capPerMinute: 10 });
  await queue.countFinished('INVOICE', 10);
  await queue.purgeFinished({ itemType: 'INVOICE', minAgeSeconds: 60, limit: 10 });
  await queue.pruneAudit({ minAgeSeconds: 60, limit: 10 });
  return { ...offline, outcomes, claim, cancelled, page, minutes };
}
