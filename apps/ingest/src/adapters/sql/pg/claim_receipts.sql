-- Give each payment's id to the first request that comes under it; ids that are taken stay as they are.
-- In: $1 payment_id[], $2 fingerprint[], $3 init_workflow_id[], $4 intake[], $5 sent_by[], $6 traceparent[]; no id twice.
-- Out: payment_id, kind ('new', 'received', 'stored', or 'unseen': another session took it while this statement ran; ask
--   again), fingerprint of the request that has the id.  Uses payment_receipts_pkey, payments_pkey.
WITH given AS MATERIALIZED (
  SELECT *
    FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[])
      AS g (payment_id, fingerprint, init_workflow_id, intake, sent_by, traceparent)
), claimed AS (
  INSERT INTO payment_receipts (payment_id, fingerprint, init_workflow_id, intake, sent_by, traceparent)
  SELECT g.payment_id, g.fingerprint, g.init_workflow_id, g.intake, g.sent_by, g.traceparent
    FROM given g
   -- A receipt may be gone by now, the payment never.
   WHERE NOT EXISTS (SELECT 1 FROM payments p WHERE p.payment_id = g.payment_id)
   -- In the order of the key, so that two callers with the same ids wait for each other and never in a circle.
   ORDER BY g.payment_id
      ON CONFLICT (payment_id) DO NOTHING
  RETURNING payment_id
)
SELECT g.payment_id,
       CASE
         WHEN p.payment_id IS NOT NULL THEN 'stored'
         WHEN c.payment_id IS NOT NULL THEN 'new'
         WHEN r.payment_id IS NOT NULL THEN 'received'
         ELSE 'unseen'
       END AS kind,
       coalesce(p.fingerprint, r.fingerprint, g.fingerprint) AS fingerprint
  FROM given g
  LEFT JOIN claimed c USING (payment_id)
  LEFT JOIN payment_receipts r USING (payment_id)
  LEFT JOIN payments p USING (payment_id)
