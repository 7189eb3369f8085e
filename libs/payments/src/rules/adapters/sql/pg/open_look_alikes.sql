-- Make sure that these likenesses have a row to lock; a new one begins with the payment that is being judged.
-- In: $1 likeness[], $2 payment_id[], $3 received_at[]; no likeness twice.  Out: nothing.  Uses payment_look_alikes_pkey.
INSERT INTO payment_look_alikes (likeness, payment_id, received_at)
SELECT likeness, payment_id, received_at
  FROM unnest($1::text[], $2::text[], $3::timestamptz[]) AS g (likeness, payment_id, received_at)
 ORDER BY likeness
    ON CONFLICT DO NOTHING
