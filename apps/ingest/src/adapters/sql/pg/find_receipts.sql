-- The first requests under these ids.
-- In: $1 payment_id[].  Out: the rows there are.  Uses payment_receipts_pkey.
SELECT payment_id, fingerprint, init_workflow_id, intake, sent_by, traceparent, received_at
  FROM payment_receipts
 WHERE payment_id = ANY ($1::text[])
