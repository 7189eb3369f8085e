-- Delete a subscription: it gets nothing more and its secrets are wiped; the row stays for the audit trail.
-- In: tenant_id, id, actor.  Out: id, or no row when there is none.  Uses webhook_subscriptions_pkey.
WITH deleted AS (
  UPDATE webhook_subscriptions
  SET status = 'deleted', status_reason = 'DELETED', status_since = now(), custom_headers = '{}',
      version = version + 1, updated_by = $3, updated_at = now()
  WHERE tenant_id = $1 AND id = $2 AND status <> 'deleted'
  RETURNING *
), wiped AS (
  DELETE FROM webhook_subscription_secrets secret USING deleted WHERE secret.subscription_id = deleted.id
), noted AS (
  INSERT INTO webhook_operational_events (tenant_id, subscription_id, type, actor)
  SELECT tenant_id, id, 'subscription.deleted', updated_by FROM deleted
)
SELECT id FROM deleted
