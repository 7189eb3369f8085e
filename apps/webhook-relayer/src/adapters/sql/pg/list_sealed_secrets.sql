-- List secrets as they are stored, by pages.
-- In: subscription_id and version to begin after, limit.  Out: one row a secret.  Uses webhook_subscription_secrets_pkey.
SELECT subscription_id, version, sealed_secret
FROM webhook_subscription_secrets
WHERE (subscription_id, version) > ($1, $2::integer)
ORDER BY subscription_id, version
LIMIT $3
