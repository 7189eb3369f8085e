-- The content that a caller's key stands for.
-- In: $1 caller_id, $2 request_key.  Out: fingerprint.  Uses payment_request_keys_pkey.
SELECT fingerprint FROM payment_request_keys WHERE caller_id = $1 AND request_key = $2
