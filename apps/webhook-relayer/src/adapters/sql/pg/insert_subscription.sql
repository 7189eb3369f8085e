-- Store a new subscription.
-- In: id, tenant_id, url, event_types, sealed_secret.  Out: created_at.
INSERT INTO webhook_subscriptions (id, tenant_id, url, event_types, sealed_secret)
VALUES ($1, $2, $3, $4::text[], $5)
RETURNING created_at
