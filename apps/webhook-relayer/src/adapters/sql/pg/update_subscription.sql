-- Write the settings of a subscription, if it still is at the version that they were made from.
-- In: tenant_id, id, version, url, event_types, description, custom_headers, signature_form, retry_profile,
--     rate_limit_per_second, max_concurrency, actor.
-- Out: the subscription, or no row when it was changed meanwhile.  Uses webhook_subscriptions_pkey.
WITH changed AS (
  UPDATE webhook_subscriptions
  SET url = $4, event_types = $5::text[], description = $6, custom_headers = $7::jsonb, signature_form = $8,
      retry_profile = $9, rate_limit_per_second = $10::integer, max_concurrency = $11::integer,
      version = version + 1, updated_by = $12, updated_at = now()
  WHERE tenant_id = $1 AND id = $2 AND version = $3 AND status <> 'deleted'
  RETURNING *
), noted AS (
  INSERT INTO webhook_operational_events (tenant_id, subscription_id, type, actor, detail)
  SELECT tenant_id, id, 'subscription.updated', updated_by,
         jsonb_build_object('version', version, 'url', url, 'eventTypes', event_types)
  FROM changed
)
SELECT * FROM changed
