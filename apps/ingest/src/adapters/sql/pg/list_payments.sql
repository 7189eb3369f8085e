-- One page of payments, newest first.
-- In: $1 status, $2 participant_id, $3 rail, $4 created from, $5 created before (each null: any), $6 and $7 created_at and
--   payment_id of the last row of the page before (null: the first page), $8 limit.
-- Out: the rows without the request itself; page_at is created_at to the microsecond.
-- Uses ix_payments_participant_created, ix_payments_unsuccessful or ix_payments_created, as the filter allows.
SELECT payment_id, status, reason_code, reason_detail, participant_id, rail, minor_units, currency, reference,
       execute_at, scheduled_time, to_char(expected_settlement_date, 'YYYY-MM-DD') AS expected_settlement_date,
       fingerprint, init_workflow_id, created_at, updated_at,
       to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS page_at
  FROM payments
 WHERE ($1::text IS NULL OR status = $1)
   AND ($2::text IS NULL OR participant_id = $2)
   AND ($3::text IS NULL OR rail = $3)
   AND ($4::timestamptz IS NULL OR created_at >= $4)
   AND ($5::timestamptz IS NULL OR created_at < $5)
   AND ($6::timestamptz IS NULL OR (created_at, payment_id) < ($6, $7::text))
 ORDER BY created_at DESC, payment_id DESC
 LIMIT $8::integer
