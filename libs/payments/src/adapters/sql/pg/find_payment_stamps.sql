-- Which of these payments exist, and what tells one request from another.
-- In: $1 payment_ids.  Out: payment_id, fingerprint, status, scheduled_time.  Uses payments_pkey.
SELECT payment_id, fingerprint, status, scheduled_time FROM payments WHERE payment_id = ANY($1::text[])
