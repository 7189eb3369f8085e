-- Hold a subscription until the end of the transaction, so that its secrets are rotated by one caller at a time.
-- In: tenant_id, id.  Out: id, or no row when there is none.  Uses webhook_subscriptions_pkey.
SELECT id
FROM webhook_subscriptions
WHERE tenant_id = $1 AND id = $2 AND status <> 'deleted'
FOR UPDATE
