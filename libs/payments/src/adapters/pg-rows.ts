import { z } from 'zod';
import { canonicalJson } from '../fingerprint.js';
import { ParticipantId, PaymentId } from '../identifiers.js';
import { Amount } from '../money.js';
import type { Reason } from '../reason.js';
import { PaymentRequest, Rail } from '../request.js';
import { PaymentStatus } from '../status.js';
import type { Payment, PaymentStamp, RejectedPayment, ScheduledPayment, StatusChange } from '../store.js';

export const IdRow = z.object({ payment_id: PaymentId });

export const StampRow = z
  .object({
    payment_id: PaymentId,
    fingerprint: z.string(),
    status: PaymentStatus,
    scheduled_time: z.date().nullable(),
  })
  .transform((row): PaymentStamp => ({
    paymentId: row.payment_id,
    fingerprint: row.fingerprint,
    status: row.status,
    scheduledTime: row.scheduled_time,
  }));

export const StandingRow = z.object({ status: PaymentStatus, made: z.boolean() });

const reasonColumns = { reason_code: z.string().nullable(), reason_detail: z.string().nullable() };

function readReason(row: { reason_code: string | null; reason_detail: string | null }): Reason | null {
  return row.reason_code === null ? null : { code: row.reason_code, detail: row.reason_detail ?? '' };
}

export const ChangeRow = z
  .object({
    from_status: PaymentStatus.nullable(),
    to_status: PaymentStatus,
    ...reasonColumns,
    changed_by: z.string(),
    changed_at: z.date(),
  })
  .transform((row): StatusChange => ({
    from: row.from_status,
    to: row.to_status,
    reason: readReason(row),
    by: row.changed_by,
    at: row.changed_at,
  }));

export const PaymentRow = z
  .object({
    payment_id: PaymentId,
    status: PaymentStatus,
    ...reasonColumns,
    participant_id: ParticipantId.nullable(),
    rail: Rail.nullable(),
    // The driver gives bigint as text, since most of its values do not fit a number; 1e15 does.
    minor_units: z.string().nullable(),
    currency: z.string().nullable(),
    reference: z.string().nullable(),
    execute_at: z.date().nullable(),
    scheduled_time: z.date().nullable(),
    expected_settlement_date: z.string().nullable(),
    fingerprint: z.string(),
    init_workflow_id: z.string(),
    created_at: z.date(),
    updated_at: z.date(),
  })
  .transform((row): Payment => ({
    paymentId: row.payment_id,
    status: row.status,
    reason: readReason(row),
    participantId: row.participant_id,
    rail: row.rail,
    amount:
      row.minor_units === null
        ? null
        : Amount.parse({ minorUnits: Number(row.minor_units), currency: row.currency }),
    reference: row.reference,
    executeAt: row.execute_at,
    scheduledTime: row.scheduled_time,
    expectedSettlementDate: row.expected_settlement_date,
    fingerprint: row.fingerprint,
    initWorkflowId: row.init_workflow_id,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }));

function requestColumns(request: PaymentRequest) {
  return {
    participant_id: request.participantId,
    rail: request.rail,
    minor_units: request.amount.minorUnits,
    currency: request.amount.currency,
    reference: request.reference ?? null,
    execute_at: request.executeAt ?? null,
  };
}

export function scheduledColumns(payment: ScheduledPayment) {
  return {
    ...requestColumns(payment.request),
    payment_id: payment.request.paymentId,
    scheduled_time: payment.scheduledTime.toISOString(),
    fingerprint: payment.fingerprint,
    request_json: canonicalJson(payment.request),
    init_workflow_id: payment.initWorkflowId,
  };
}

export function rejectedColumns(payment: RejectedPayment) {
  const readable = PaymentRequest.safeParse(payment.request);
  return {
    ...(readable.success ? requestColumns(readable.data) : {}),
    payment_id: payment.paymentId,
    reason_code: payment.reason.code,
    reason_detail: payment.reason.detail,
    fingerprint: payment.fingerprint,
    request_json: canonicalJson(payment.request),
    init_workflow_id: payment.initWorkflowId,
  };
}
