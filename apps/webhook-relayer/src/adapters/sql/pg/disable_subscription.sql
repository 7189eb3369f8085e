-- Disable a subscription whose endpoint said that it is gone for good.
-- In: id, reason.  Out: id, or no row when it had ended already.  Uses webhook_subscriptions_pkey.
UPDATE webhook_subscriptions
SET status = 'disabled', ended_reason = $2, ended_at = now()
WHERE id = $1 AND status = 'active'
RETURNING id
