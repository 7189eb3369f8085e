-- Pause or resume a subscription. One that is resumed begins without the failures that it was disabled for.
-- In: tenant_id, id, statuses to change from, status to change to, reason, actor.
-- Out: the subscription, or no row when it has none of these statuses.  Uses webhook_subscriptions_pkey.
WITH changed AS (
  UPDATE webhook_subscriptions
  SET status = $4, status_reason = $5, status_since = now(), version = version + 1, updated_by = $6, updated_at = now()
  WHERE tenant_id = $1 AND id = $2 AND status = ANY ($3::text[])
  RETURNING *
), forgiven AS (
  UPDATE webhook_subscription_health health
  SET failing_since = NULL
  FROM changed
  WHERE health.subscription_id = changed.id AND changed.status = 'active'
), noted AS (
  INSERT INTO webhook_operational_events (tenant_id, subscription_id, type, actor, detail)
  SELECT tenant_id, id, CASE status WHEN 'active' THEN 'subscription.resumed' ELSE 'subscription.paused' END, updated_by,
         jsonb_build_object('reason', status_reason)
  FROM changed
)
SELECT * FROM changed
