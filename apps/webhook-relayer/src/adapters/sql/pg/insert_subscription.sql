-- Store a new subscription with its first secret, and who made it.
-- In: id, tenant_id, url, event_types, description, custom_headers, signature_form, retry_profile, rate_limit_per_second,
--     max_concurrency, sealed_secret, actor.
-- Out: the subscription.
WITH subscription AS (
  INSERT INTO webhook_subscriptions
    (id, tenant_id, url, event_types, description, custom_headers, signature_form, retry_profile, rate_limit_per_second,
     max_concurrency, created_by, updated_by)
  VALUES ($1, $2, $3, $4::text[], $5, $6::jsonb, $7, $8, $9::integer, $10::integer, $12, $12)
  RETURNING *
), secret AS (
  INSERT INTO webhook_subscription_secrets (subscription_id, version, sealed_secret, created_by)
  SELECT id, 1, $11::bytea, created_by FROM subscription
), noted AS (
  INSERT INTO webhook_operational_events (tenant_id, subscription_id, type, actor, detail)
  SELECT tenant_id, id, 'subscription.created', created_by, jsonb_build_object('url', url, 'eventTypes', event_types)
  FROM subscription
)
SELECT * FROM subscription
