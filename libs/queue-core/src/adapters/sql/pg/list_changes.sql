-- List what people did to one item type and its items, newest first.
-- In: $1 item_type, $2 audit_id to begin below, or null, $3 limit.
-- Out: audit_id (as text), action, item_id, status_before, status_after, detail, actor, created_at.
-- Uses ix_dispatch_audit_actor.
SELECT audit_id::text, action, item_id, status_before, status_after, detail, actor, created_at
  FROM dispatch_audit_log
 WHERE item_type = $1 AND actor IS NOT NULL AND audit_id < coalesce($2::bigint, 9223372036854775807)
 ORDER BY dispatch_audit_log.audit_id DESC
 LIMIT $3::integer;
