-- Read one event.
-- In: tenant_id, id.  Out: the event with its body as it came in.  Uses webhook_events_pkey.
SELECT id, type, source, occurred_at, received_at, body
FROM webhook_events
WHERE tenant_id = $1 AND id = $2
