-- Wipe secrets that are no longer valid.
-- In: nothing.  Out: subscription_id of each.  Reads all of webhook_subscription_secrets, which has one or two rows a subscription.
DELETE FROM webhook_subscription_secrets
WHERE expires_at <= now()
RETURNING subscription_id
