-- Store an event for one subscription alone, and its delivery, which is tried once.
-- In: tenant_id, subscription_id, event id, type, source, occurred_at, body, actor.
-- Out: id of the delivery, or no row when there is no such subscription or it is not active.
-- Uses webhook_subscriptions_pkey.
WITH subscription AS (
  SELECT id, tenant_id FROM webhook_subscriptions WHERE tenant_id = $1 AND id = $2 AND status = 'active'
), event AS (
  INSERT INTO webhook_events (tenant_id, id, type, source, occurred_at, ordering_key, body)
  SELECT tenant_id, $3, $4, $5, $6::timestamptz, id, $7::bytea FROM subscription
  RETURNING tenant_id, id, type
), noted AS (
  INSERT INTO webhook_operational_events (tenant_id, subscription_id, type, actor, detail)
  SELECT tenant_id, id, 'subscription.tested', $8, jsonb_build_object('eventId', $3::text) FROM subscription
)
INSERT INTO webhook_deliveries (tenant_id, event_id, event_type, subscription_id, max_attempts)
SELECT event.tenant_id, event.id, event.type, subscription.id, 1
FROM event, subscription
RETURNING id
