-- Remove likenesses that have not been seen for long; those that somebody holds are left for the next time.
-- In: $1 before, $2 at most.  Out: likeness of each row removed.  Uses ix_payment_look_alikes_received.
WITH old AS MATERIALIZED (
  SELECT likeness
    FROM payment_look_alikes
   WHERE received_at < $1::timestamptz
   ORDER BY received_at
   LIMIT $2::integer
     FOR UPDATE SKIP LOCKED
)
DELETE FROM payment_look_alikes l USING old WHERE l.likeness = old.likeness
RETURNING l.likeness
