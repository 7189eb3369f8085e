-- Move one payment from one status to another, with its audit row, if it still stands where the caller thinks.
-- In: $1 payment_id, $2 from, $3 to, $4 reason_code, $5 reason_detail, $6 changed_by.
-- Out: one row if it was changed, else none.  Uses payments_pkey.
WITH changed AS (
  UPDATE payments
     SET status = $3::text, reason_code = $4::text, reason_detail = $5::text, updated_at = clock_timestamp()
   WHERE payment_id = $1::text AND status = $2::text
  RETURNING payment_id
), audited AS (
  INSERT INTO payment_status_changes (payment_id, from_status, to_status, reason_code, reason_detail, changed_by)
  SELECT payment_id, $2::text, $3::text, $4::text, $5::text, $6::text FROM changed
)
SELECT payment_id FROM changed
