-- Remember the last payment of each likeness.
-- In: $1 likeness[], $2 payment_id[], $3 received_at[]; no likeness twice.  Out: nothing.  Uses payment_look_alikes_pkey.
UPDATE payment_look_alikes l
   SET payment_id = g.payment_id, received_at = g.received_at
  FROM unnest($1::text[], $2::text[], $3::timestamptz[]) AS g (likeness, payment_id, received_at)
 WHERE l.likeness = g.likeness
