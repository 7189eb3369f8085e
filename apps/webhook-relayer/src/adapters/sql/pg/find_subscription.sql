-- Read a subscription that was not deleted.
-- In: tenant_id, id.  Out: the subscription, no secret.  Uses webhook_subscriptions_pkey.
SELECT *
FROM webhook_subscriptions
WHERE tenant_id = $1 AND id = $2 AND status <> 'deleted'
