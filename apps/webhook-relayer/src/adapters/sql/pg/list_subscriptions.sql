-- List the subscriptions of a tenant that were not deleted, in the order of their ids.
-- In: tenant_id, id to begin after (or empty), limit.  Out: one row a subscription, no secret.  Uses ix_webhook_subscriptions_tenant.
SELECT *
FROM webhook_subscriptions
WHERE tenant_id = $1 AND id > $2 AND status <> 'deleted'
ORDER BY id
LIMIT $3
