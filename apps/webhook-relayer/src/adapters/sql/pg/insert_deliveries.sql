-- Make one delivery for each new event and active subscription that wants its type.
-- In: arrays of tenant_id, event_id, pattern (one row for each pattern that the event's type matches); max_attempts.
-- Out: id.  Uses ix_webhook_subscriptions_match and webhook_deliveries_tenant_id_event_id_subscription_id_key.
INSERT INTO webhook_deliveries (tenant_id, event_id, subscription_id, max_attempts)
SELECT DISTINCT wanted.tenant_id, wanted.event_id, subscription.id, $4::integer
FROM unnest($1::text[], $2::text[], $3::text[]) AS wanted (tenant_id, event_id, pattern)
JOIN webhook_subscriptions subscription
  ON subscription.event_types @> ARRAY[wanted.pattern]
 AND subscription.tenant_id = wanted.tenant_id
 AND subscription.status = 'active'
ON CONFLICT (tenant_id, event_id, subscription_id) DO NOTHING
RETURNING id
