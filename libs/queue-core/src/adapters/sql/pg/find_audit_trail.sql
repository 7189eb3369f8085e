-- Show what happened to one item, oldest first: its own rows, and the claims of the batches it was in.
-- In: $1 item_type, $2 item_id, $3 its current dispatch_batch_id or null, $4 limit.
-- Out: batch_id, action, status_before, status_after, detail, actor, created_at.
-- Uses ix_dispatch_audit_item, ix_dispatch_audit_batch.
WITH own AS MATERIALIZED (
  SELECT audit_id, batch_id, action, status_before, status_after, detail, actor, created_at
    FROM dispatch_audit_log
   WHERE item_type = $1 AND item_id = $2
   ORDER BY created_at DESC, audit_id DESC
   LIMIT $4::integer
),
claims AS (
  SELECT audit_id, batch_id, action, status_before, status_after, detail, actor, created_at
    FROM dispatch_audit_log
   WHERE item_id IS NULL AND item_type = $1 AND action = 'CLAIMED'
     AND batch_id = ANY (ARRAY(SELECT batch_id FROM own UNION SELECT $3::text))
)
SELECT batch_id, action, status_before, status_after, detail, actor, created_at
  FROM (SELECT * FROM own UNION ALL SELECT * FROM claims) AS trail
 ORDER BY created_at, audit_id;
