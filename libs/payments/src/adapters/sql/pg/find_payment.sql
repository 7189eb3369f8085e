-- One payment as it stands.
-- In: $1 payment_id.  Out: the row, without the request itself.  Uses payments_pkey.
SELECT payment_id, status, reason_code, reason_detail, participant_id, rail, minor_units, currency, reference,
       execute_at, scheduled_time, to_char(expected_settlement_date, 'YYYY-MM-DD') AS expected_settlement_date,
       fingerprint, init_workflow_id, created_at, updated_at
  FROM payments
 WHERE payment_id = $1
