-- Disable a subscription and put that on record.
-- In: id, reason, detail.  Out: the subscription, or no row when it had ended already.  Uses webhook_subscriptions_pkey.
WITH disabled AS (
  UPDATE webhook_subscriptions
  SET status = 'disabled', status_reason = $2, status_since = now(), version = version + 1,
      updated_by = 'sluice', updated_at = now()
  WHERE id = $1 AND status IN ('active', 'paused')
  RETURNING id, tenant_id, url, version, status_since
), recorded AS (
  INSERT INTO webhook_operational_events (tenant_id, subscription_id, type, actor, detail)
  SELECT tenant_id, id, 'subscription.disabled', 'sluice', jsonb_build_object('reason', $2::text) || $3::jsonb
  FROM disabled
)
SELECT id, tenant_id, url, version, status_since FROM disabled
