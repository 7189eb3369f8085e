-- The last payment of each likeness; nobody else judges by them until the transaction ends.
-- In: $1 likeness[].  Out: one row a likeness; ended: its payment came to nothing, so that a second one is no duplicate.
-- Uses payment_look_alikes_pkey, payments_pkey.
SELECT l.likeness, l.payment_id, l.received_at,
       coalesce(p.status IN ('REJECTED', 'CANCELLED', 'FAILED'), false) AS ended
  FROM payment_look_alikes l
  LEFT JOIN payments p USING (payment_id)
 WHERE l.likeness = ANY ($1::text[])
 ORDER BY l.likeness
   FOR UPDATE OF l
