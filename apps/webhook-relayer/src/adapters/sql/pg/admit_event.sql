-- Note that an event was handed in under its id, or find out what is known under that id.
-- In: tenant_id, event_id, sha256, occurred_at.
-- Out: admitted; else sha256 and occurred_at of what was handed in before, or the body of what came by another way.
-- Uses webhook_event_admissions_pkey, webhook_events_pkey.
WITH stored AS MATERIALIZED (
  SELECT body FROM webhook_events WHERE tenant_id = $1 AND id = $2
), admitted AS (
  INSERT INTO webhook_event_admissions (tenant_id, event_id, sha256, occurred_at)
  SELECT $1, $2, $3::bytea, $4::timestamptz
  WHERE NOT EXISTS (SELECT FROM stored)
  ON CONFLICT (tenant_id, event_id) DO NOTHING
  RETURNING 1
), known AS (
  SELECT sha256, occurred_at FROM webhook_event_admissions WHERE tenant_id = $1 AND event_id = $2
)
SELECT EXISTS (SELECT FROM admitted) AS admitted,
       (SELECT sha256 FROM known) AS sha256,
       (SELECT occurred_at FROM known) AS occurred_at,
       (SELECT body FROM stored) AS body
