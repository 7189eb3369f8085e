import { z } from 'zod';
import { ParticipantId, PaymentId } from '../../identifiers.js';
import type { Reason } from '../../reason.js';
import type { Limit, StoredLimit } from '../admission.js';

// The driver gives bigint and numeric as text.
const whole = z.string().transform(BigInt);

const limitColumns = {
  per_payment_minor_units: whole.nullable(),
  per_day_minor_units: whole.nullable(),
  per_day_payments: z.int().nullable(),
};

function readLimit(row: {
  per_payment_minor_units: bigint | null;
  per_day_minor_units: bigint | null;
  per_day_payments: number | null;
}): Limit {
  return {
    perPaymentMinorUnits: row.per_payment_minor_units,
    perDayMinorUnits: row.per_day_minor_units,
    perDayPayments: row.per_day_payments,
  };
}

export const LimitRow = z
  .object({ participant_id: z.string(), currency: z.string(), ...limitColumns })
  .transform((row) => ({
    participantId: row.participant_id,
    currency: row.currency,
    limit: readLimit(row),
  }));

export const StoredLimitRow = z
  .object({
    participant_id: z.union([z.literal('*'), ParticipantId]),
    currency: z.string(),
    ...limitColumns,
    updated_at: z.date(),
    updated_by: z.string(),
  })
  .transform((row): StoredLimit => ({
    participantId: row.participant_id,
    currency: row.currency,
    ...readLimit(row),
    updatedAt: row.updated_at,
    updatedBy: row.updated_by,
  }));

export const UsageRow = z.object({
  participant_id: z.string(),
  currency: z.string(),
  day: z.string(),
  minor_units: whole,
  payments: z.int(),
});

export const LookAlikeRow = z.object({
  likeness: z.string(),
  payment_id: PaymentId,
  received_at: z.date(),
  ended: z.boolean(),
});

export const ReservationRow = z.object({ payment_id: PaymentId });

export const FlagRow = z
  .object({ reason_code: z.string(), reason_detail: z.string() })
  .transform((row): Reason => ({ code: row.reason_code, detail: row.reason_detail }));
