-- Delete a subscription: it gets nothing more and its secret is wiped; the row stays for the audit trail.
-- In: tenant_id, id.  Out: id, or no row when there is none.  Uses webhook_subscriptions_pkey.
UPDATE webhook_subscriptions
SET status = 'deleted', ended_reason = 'DELETED', ended_at = now(), sealed_secret = NULL
WHERE tenant_id = $1 AND id = $2 AND status <> 'deleted'
RETURNING id
