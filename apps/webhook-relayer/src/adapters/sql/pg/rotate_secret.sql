-- Add a secret to a subscription that is held, let the one before it expire after the overlap, and wipe all older ones.
-- In: tenant_id, subscription_id, sealed_secret, overlap in seconds, actor.
-- Out: the version of the new secret.  Uses webhook_subscription_secrets_pkey.
WITH newest AS MATERIALIZED (
  SELECT max(version) AS version FROM webhook_subscription_secrets WHERE subscription_id = $2
), retired AS (
  UPDATE webhook_subscription_secrets secret
  SET expires_at = now() + $4::double precision * interval '1 second'
  FROM newest
  WHERE secret.subscription_id = $2 AND secret.version = newest.version
), wiped AS (
  DELETE FROM webhook_subscription_secrets secret
  USING newest
  WHERE secret.subscription_id = $2 AND secret.version < newest.version
), added AS (
  INSERT INTO webhook_subscription_secrets (subscription_id, version, sealed_secret, created_by)
  SELECT $2, version + 1, $3::bytea, $5 FROM newest
  RETURNING version
), noted AS (
  INSERT INTO webhook_operational_events (tenant_id, subscription_id, type, actor, detail)
  SELECT $1, $2, 'subscription.secret_rotated', $5,
         jsonb_build_object('version', version, 'overlapSeconds', $4::double precision)
  FROM added
)
SELECT version FROM added
