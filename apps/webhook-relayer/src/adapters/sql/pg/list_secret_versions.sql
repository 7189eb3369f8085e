-- List the secrets of a subscription that are valid now, newest first.
-- In: subscription_id.  Out: version, created_at, expires_at; never the secret.  Uses webhook_subscription_secrets_pkey.
SELECT version, created_at, expires_at
FROM webhook_subscription_secrets
WHERE subscription_id = $1 AND (expires_at IS NULL OR expires_at > now())
ORDER BY version DESC
