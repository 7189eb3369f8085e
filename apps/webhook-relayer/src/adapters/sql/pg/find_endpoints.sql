-- Read where deliveries of subscriptions go and how they are signed, with the secrets that have not expired, newest first.
-- In: ids.  Out: one row a subscription.  Uses webhook_subscriptions_pkey, webhook_subscription_secrets_pkey.
SELECT subscription.id, subscription.url, subscription.custom_headers, subscription.signature_form,
       subscription.retry_profile, subscription.max_concurrency, subscription.rate_limit_per_second,
       ARRAY(
         SELECT secret.sealed_secret
         FROM webhook_subscription_secrets secret
         WHERE secret.subscription_id = subscription.id AND (secret.expires_at IS NULL OR secret.expires_at > now())
         ORDER BY secret.version DESC
       ) AS sealed_secrets
FROM webhook_subscriptions subscription
WHERE subscription.id = ANY ($1::text[])
