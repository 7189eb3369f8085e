-- Remove old receipts; the payment's own row goes on to keep its id.
-- In: $1 before, $2 at most.  Out: payment_id of each row removed.  Uses ix_payment_receipts_received, payments_pkey.
WITH old AS MATERIALIZED (
  SELECT r.payment_id
    FROM payment_receipts r
   WHERE r.received_at < $1::timestamptz
   ORDER BY r.received_at
   LIMIT $2::integer
     FOR UPDATE SKIP LOCKED
)
DELETE FROM payment_receipts r USING old WHERE r.payment_id = old.payment_id
RETURNING r.payment_id
