-- Find failed deliveries made in a span of time whose subscriptions can still get them, oldest first.
-- In: tenant_id, subscription_id or null, event_type or null, created from, created before, limit.
-- Out: id.  Uses ix_webhook_deliveries_failed.
SELECT delivery.id
FROM webhook_deliveries delivery
JOIN webhook_subscriptions subscription
  ON subscription.id = delivery.subscription_id AND subscription.status IN ('active', 'paused')
WHERE delivery.tenant_id = $1
  AND delivery.status = 'failed'
  AND ($2::text IS NULL OR delivery.subscription_id = $2)
  AND ($3::text IS NULL OR delivery.event_type = $3)
  AND delivery.created_at >= $4::timestamptz
  AND delivery.created_at < $5::timestamptz
ORDER BY delivery.created_at, delivery.id
LIMIT $6
