-- List the deliveries of one event.
-- In: tenant_id, event_id, limit.  Out: one row a delivery.  Uses webhook_deliveries_tenant_id_event_id_subscription_id_key.
SELECT *
FROM webhook_deliveries
WHERE tenant_id = $1 AND event_id = $2
ORDER BY subscription_id
LIMIT $3
