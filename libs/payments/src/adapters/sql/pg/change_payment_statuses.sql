-- Move many payments from one status to another, each with its audit row; those that stand elsewhere are left alone.
-- In: $1 from, $2 to, $3 changed_by, and as columns of one length $4 payment_ids, $5 reason_codes, $6 reason_details.
-- Out: payment_id of those that were changed.  Uses payments_pkey.
-- Locked in the order of their ids, so that two overlapping calls wait for each other instead of deadlocking.
WITH given AS (
  SELECT * FROM unnest($4::text[], $5::text[], $6::text[]) AS g (payment_id, reason_code, reason_detail)
), standing AS MATERIALIZED (
  SELECT payment_id
    FROM payments
   WHERE payment_id = ANY ($4::text[]) AND status = $1::text
   ORDER BY payment_id
     FOR UPDATE
), changed AS (
  UPDATE payments p
     SET status = $2::text, reason_code = g.reason_code, reason_detail = g.reason_detail, updated_at = clock_timestamp()
    FROM standing s
    JOIN given g ON g.payment_id = s.payment_id
   WHERE p.payment_id = s.payment_id
  RETURNING p.payment_id, p.reason_code, p.reason_detail
), audited AS (
  INSERT INTO payment_status_changes (payment_id, from_status, to_status, reason_code, reason_detail, changed_by)
  SELECT payment_id, $1::text, $2::text, reason_code, reason_detail, $3::text FROM changed
)
SELECT payment_id FROM changed
