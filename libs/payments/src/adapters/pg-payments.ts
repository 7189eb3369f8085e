import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PaymentId } from '../identifiers.js';
import { canTransition } from '../status.js';
import type { PaymentStatus } from '../status.js';
import type { InsertOutcome, PaymentStamp, PaymentStore, Queryable } from '../store.js';
import {
  ChangeRow,
  IdRow,
  PaymentRow,
  rejectedColumns,
  scheduledColumns,
  StampRow,
  StandingRow,
} from './pg-rows.js';

/** The payments table in PostgreSQL. */
export function createPgPayments(): PaymentStore {
  const sql = loadStatements();

  async function findStamps(db: Queryable, paymentIds: readonly PaymentId[]): Promise<PaymentStamp[]> {
    if (paymentIds.length === 0) return [];
    const { rows } = await db.query(sql.findPaymentStamps, [paymentIds]);
    return rows.map((row) => StampRow.parse(row));
  }

  async function insert(db: Queryable, statement: string, given: Given[]): Promise<InsertOutcome[]> {
    if (given.length === 0) return [];
    const { rows } = await db.query(statement, [JSON.stringify(given.map(({ columns }) => columns))]);
    const inserted = new Set(rows.map((row) => IdRow.parse(row).payment_id));
    // Read back in a statement of its own: only then is a row visible that another session committed meanwhile.
    const stored = new Map(
      (
        await findStamps(
          db,
          given.map(({ id }) => id),
        )
      ).map((stamp) => [stamp.paymentId, stamp]),
    );
    return given.map(({ id, columns }) => insertOutcome(stored.get(id), { id, columns }, inserted.has(id)));
  }

  return {
    ...transitions(sql),
    findStamps,

    insertScheduled: (db, payments) =>
      insert(
        db,
        sql.insertScheduledPayments,
        payments.map((payment) => ({ id: payment.request.paymentId, columns: scheduledColumns(payment) })),
      ),

    insertRejected: (db, payments) =>
      insert(
        db,
        sql.insertRejectedPayments,
        payments.map((payment) => ({ id: payment.paymentId, columns: rejectedColumns(payment) })),
      ),

    async setExpectedSettlement(db, { paymentId, date }) {
      const { rows } = await db.query(sql.setExpectedSettlement, [paymentId, date]);
      return rows.length > 0;
    },

    async find(db, paymentId) {
      const { rows } = await db.query(sql.findPayment, [paymentId]);
      return rows.map((row) => PaymentRow.parse(row))[0];
    },

    async listStatusChanges(db, paymentId) {
      const { rows } = await db.query(sql.listStatusChanges, [paymentId]);
      return rows.map((row) => ChangeRow.parse(row));
    },
  };
}

/** The two ways to change a status: one payment, where the caller needs to know why it could not be, and many. */
function transitions(sql: Statements): Pick<PaymentStore, 'transition' | 'transitionMany'> {
  return {
    async transition(db, { paymentId, from, to, reason, by }) {
      refuseUnknownWay(from, to);
      const change = [paymentId, from, to, reason?.code ?? null, reason?.detail ?? null, by];
      const { rows } = await db.query(sql.changePaymentStatus, change);
      if (rows.length > 0) return { kind: 'changed', status: to };
      const standing = await db.query(sql.findStatusAndChange, [paymentId, from, to]);
      const [row] = standing.rows.map((found) => StandingRow.parse(found));
      if (row === undefined) return { kind: 'refused', status: null };
      return { kind: row.made ? 'already' : 'refused', status: row.status };
    },

    async transitionMany(db, { from, to, by, payments }) {
      refuseUnknownWay(from, to);
      if (payments.length === 0) return [];
      const { rows } = await db.query(sql.changePaymentStatuses, [
        from,
        to,
        by,
        payments.map(({ paymentId }) => paymentId),
        payments.map(({ reason }) => reason?.code ?? null),
        payments.map(({ reason }) => reason?.detail ?? null),
      ]);
      return rows.map((row) => IdRow.parse(row).payment_id);
    },
  };
}

function refuseUnknownWay(from: PaymentStatus, to: PaymentStatus): void {
  if (!canTransition(from, to)) throw new RangeError(`a payment never goes from ${from} to ${to}`);
}

interface Given {
  readonly id: PaymentId;
  readonly columns: { readonly fingerprint: string };
}

function insertOutcome(stored: PaymentStamp | undefined, given: Given, isNew: boolean): InsertOutcome {
  if (stored === undefined) throw new Error(`payment ${given.id} was neither inserted nor found; try again`);
  const isSame = stored.fingerprint === given.columns.fingerprint;
  return {
    kind: !isSame ? 'conflict' : isNew ? 'inserted' : 'already',
    paymentId: given.id,
    status: stored.status,
    scheduledTime: stored.scheduledTime,
  };
}

type Statements = ReturnType<typeof loadStatements>;

function loadStatements() {
  const load = (name: string) => readFileSync(join(__dirname, 'sql', 'pg', `${name}.sql`), 'utf8');
  return {
    insertScheduledPayments: load('insert_scheduled_payments'),
    insertRejectedPayments: load('insert_rejected_payments'),
    changePaymentStatus: load('change_payment_status'),
    changePaymentStatuses: load('change_payment_statuses'),
    findStatusAndChange: load('find_status_and_change'),
    setExpectedSettlement: load('set_expected_settlement'),
    findPayment: load('find_payment'),
    findPaymentStamps: load('find_payment_stamps'),
    listStatusChanges: load('list_status_changes'),
  };
}
