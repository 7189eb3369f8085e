-- List what people did to one item type and its items, newest first.
-- In: item_type, below (the audit_id to begin below, as text, or null), max_rows.
-- Out: audit_id (as text), action, item_id, status_before, status_after, detail, actor, created_at.
-- Uses ix_dispatch_audit_actor.
SELECT TO_CHAR(actor_audit_id) AS audit_id, action, item_id, status_before, status_after, detail, actor,
       FROM_TZ(created_at, '+00:00') AS created_at
  FROM dispatch_audit_log
 WHERE actor_item_type = :item_type AND actor_audit_id < NVL(TO_NUMBER(:below), 9223372036854775807)
 ORDER BY actor_audit_id DESC
 FETCH FIRST :max_rows ROWS ONLY
