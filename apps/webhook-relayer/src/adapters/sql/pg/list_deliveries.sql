-- List the deliveries of a tenant, newest first. Filters that are null let everything through.
-- In: tenant_id, subscription_id, event_id, event_type, status, created from, created before, created_at and id of the last
--     row of the page before (or null), limit.
-- Out: one row a delivery; cursor_at is created_at to the microsecond, which a date of the caller cannot hold.
-- Uses ix_webhook_deliveries_subscription, _type, _failed or _tenant, whichever the filter names.
SELECT *, to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS cursor_at
FROM webhook_deliveries
WHERE tenant_id = $1
  AND ($2::text IS NULL OR subscription_id = $2)
  AND ($3::text IS NULL OR event_id = $3)
  AND ($4::text IS NULL OR event_type = $4)
  AND ($5::text IS NULL OR status = $5)
  AND created_at >= $6::timestamptz
  AND created_at < COALESCE($7::timestamptz, 'infinity')
  AND (created_at, id) < (COALESCE($8::timestamptz, 'infinity'), COALESCE($9::bigint, 9223372036854775807))
ORDER BY created_at DESC, id DESC
LIMIT $10
