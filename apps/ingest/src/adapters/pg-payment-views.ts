import { z } from 'zod';
import {
  Amount,
  ParticipantId,
  PaymentId,
  PaymentStatus,
  Rail,
  type Admissions,
  type Payment,
  type PaymentStore,
  type Queryable,
} from '@sluice/payments';
import type { PaymentViews } from '../ports.js';
import { loadSql } from './sql.js';

const ListedRow = z.object({
  payment_id: PaymentId,
  status: PaymentStatus,
  reason_code: z.string().nullable(),
  reason_detail: z.string().nullable(),
  participant_id: ParticipantId.nullable(),
  rail: Rail.nullable(),
  // The driver gives bigint as text.
  minor_units: z.string().transform(Number).nullable(),
  currency: z.string().nullable(),
  reference: z.string().nullable(),
  execute_at: z.date().nullable(),
  scheduled_time: z.date().nullable(),
  expected_settlement_date: z.string().nullable(),
  fingerprint: z.string(),
  init_workflow_id: z.string(),
  created_at: z.date(),
  updated_at: z.date(),
  page_at: z.string(),
});

function toPayment(row: z.infer<typeof ListedRow>): Payment {
  return {
    paymentId: row.payment_id,
    status: row.status,
    reason: row.reason_code === null ? null : { code: row.reason_code, detail: row.reason_detail ?? '' },
    participantId: row.participant_id,
    rail: row.rail,
    amount:
      row.minor_units === null ? null : Amount.parse({ minorUnits: row.minor_units, currency: row.currency }),
    reference: row.reference,
    executeAt: row.execute_at,
    scheduledTime: row.scheduled_time,
    expectedSettlementDate: row.expected_settlement_date,
    fingerprint: row.fingerprint,
    initWorkflowId: row.init_workflow_id,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

interface Parts {
  readonly store: PaymentStore;
  readonly admissions: Pick<Admissions, 'listFlags'>;
  readonly db: Queryable;
}

/** Payments as readers see them. */
export function pgPaymentViews({ store, admissions, db }: Parts): PaymentViews {
  const listSql = loadSql('list_payments');
  return {
    find: (paymentId) => store.find(db, paymentId),
    listStatusChanges: (paymentId) => store.listStatusChanges(db, paymentId),
    listFlags: (paymentId) => admissions.listFlags(db, paymentId),
    async list(filter, { after, limit }) {
      const { rows } = await db.query(listSql, [
        filter.status ?? null,
        filter.participantId ?? null,
        filter.rail ?? null,
        filter.createdFrom ?? null,
        filter.createdBefore ?? null,
        after?.at ?? null,
        after?.paymentId ?? null,
        // One more than asked for tells whether there is another page.
        limit + 1,
      ]);
      const listed = rows.slice(0, limit).map((row) => ListedRow.parse(row));
      const last = rows.length > limit ? listed.at(-1) : undefined;
      return {
        payments: listed.map(toPayment),
        next: last === undefined ? null : { at: last.page_at, paymentId: last.payment_id },
      };
    },
  };
}
