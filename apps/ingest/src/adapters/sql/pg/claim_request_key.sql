-- Give a caller's key to the first request that comes under it.
-- In: $1 caller_id, $2 request_key, $3 fingerprint.  Out: one row if the key is new.  Uses payment_request_keys_pkey.
INSERT INTO payment_request_keys (caller_id, request_key, fingerprint)
VALUES ($1, $2, $3)
    ON CONFLICT (caller_id, request_key) DO NOTHING
RETURNING fingerprint
