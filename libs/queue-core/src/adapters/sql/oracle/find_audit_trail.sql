-- Show what happened to one item, oldest first: its own rows, and the claims of the batches it was in.
-- In: item_type, item_id, batch_id (its current one, or null), max_rows.
-- Out: batch_id, action, status_before, status_after, detail, actor, created_at.
-- Uses ix_dispatch_audit_item, ix_dispatch_audit_batch.
WITH own AS (
  SELECT audit_id, batch_id, action, status_before, status_after, detail, actor, created_at
    FROM dispatch_audit_log
   WHERE item_type = :item_type AND item_id = :item_id
   ORDER BY created_at DESC, audit_id DESC
   FETCH FIRST :max_rows ROWS ONLY
),
trail AS (
  SELECT audit_id, batch_id, action, status_before, status_after, detail, actor, created_at
    FROM own
   UNION ALL
  SELECT audit_id, batch_id, action, status_before, status_after, detail, actor, created_at
    FROM dispatch_audit_log
   WHERE whole_batch_id IN (SELECT batch_id FROM own UNION SELECT :batch_id FROM dual)
     AND item_type = :item_type AND action = 'CLAIMED'
)
SELECT batch_id, action, status_before, status_after, detail, actor, FROM_TZ(created_at, '+00:00') AS created_at
  FROM trail
 ORDER BY trail.created_at, trail.audit_id
