import { z } from 'zod';
import { PaymentId, type Queryable } from '@sluice/payments';
import { intakes } from '../phase-a.js';
import type { Receipt, ReceiptClaim, Receipts, Retention } from '../ports.js';
import { loadSql } from './sql.js';

const ClaimRow = z.object({
  payment_id: z.string(),
  kind: z.enum(['new', 'received', 'stored', 'unseen']),
  fingerprint: z.string(),
});

const ReceiptRow = z
  .object({
    payment_id: PaymentId,
    fingerprint: z.string(),
    init_workflow_id: z.string(),
    intake: z.enum(intakes),
    sent_by: z.string(),
    traceparent: z.string().nullable(),
    received_at: z.date(),
  })
  .transform((row): Receipt => ({
    paymentId: row.payment_id,
    fingerprint: row.fingerprint,
    initWorkflowId: row.init_workflow_id,
    intake: row.intake,
    sentBy: row.sent_by,
    traceparent: row.traceparent,
    receivedAt: row.received_at,
  }));

type NewReceipt = Omit<Receipt, 'receivedAt'>;

/** Receipts in PostgreSQL, all ids of a call in one statement. */
export function pgReceipts(db: Queryable): Receipts & Retention {
  const sql = {
    claim: loadSql('claim_receipts'),
    find: loadSql('find_receipts'),
    prune: loadSql('prune_receipts'),
  };

  async function claimOnce(receipts: readonly NewReceipt[]): Promise<Map<string, z.infer<typeof ClaimRow>>> {
    const { rows } = await db.query(sql.claim, [
      receipts.map(({ paymentId }) => paymentId),
      receipts.map(({ fingerprint }) => fingerprint),
      receipts.map(({ initWorkflowId }) => initWorkflowId),
      receipts.map(({ intake }) => intake),
      receipts.map(({ sentBy }) => sentBy),
      receipts.map(({ traceparent }) => traceparent),
    ]);
    return new Map(rows.map((row) => ClaimRow.parse(row)).map((row) => [row.payment_id, row]));
  }

  return {
    async claim(receipts) {
      if (receipts.length === 0) return [];
      const claimed = await claimOnce(receipts);
      const unseen = receipts.filter(({ paymentId }) => claimed.get(paymentId)?.kind === 'unseen');
      // Its session has committed, since the insert waited for it: a second statement sees what it wrote.
      if (unseen.length > 0) for (const [id, row] of await claimOnce(unseen)) claimed.set(id, row);
      return receipts.map(({ paymentId }) => toClaim(claimed.get(paymentId), paymentId));
    },

    async find(paymentIds) {
      if (paymentIds.length === 0) return [];
      const { rows } = await db.query(sql.find, [paymentIds]);
      return rows.map((row) => ReceiptRow.parse(row));
    },

    async prune(olderThan, atMost) {
      return (await db.query(sql.prune, [olderThan, atMost])).rows.length;
    },
  };
}

function toClaim(row: z.infer<typeof ClaimRow> | undefined, paymentId: PaymentId): ReceiptClaim {
  if (row === undefined || row.kind === 'unseen')
    throw new Error(`the receipt of payment ${paymentId} was neither written nor found; try again`);
  return { kind: row.kind, fingerprint: row.fingerprint };
}
