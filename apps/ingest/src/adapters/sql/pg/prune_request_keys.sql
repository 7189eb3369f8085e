-- Remove keys that no caller will repeat any more.
-- In: $1 before, $2 at most.  Out: request_key of each row removed.  Uses ix_payment_request_keys_created.
WITH old AS MATERIALIZED (
  SELECT caller_id, request_key
    FROM payment_request_keys
   WHERE created_at < $1::timestamptz
   ORDER BY created_at
   LIMIT $2::integer
     FOR UPDATE SKIP LOCKED
)
DELETE FROM payment_request_keys k USING old
 WHERE k.caller_id = old.caller_id AND k.request_key = old.request_key
RETURNING k.request_key
