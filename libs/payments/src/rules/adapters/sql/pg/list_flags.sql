-- The remarks on one payment, oldest first.
-- In: $1 payment_id.  Out: reason_code, reason_detail.  Uses payment_flags_pkey.
SELECT reason_code, reason_detail FROM payment_flags WHERE payment_id = $1 ORDER BY flagged_at, reason_code
