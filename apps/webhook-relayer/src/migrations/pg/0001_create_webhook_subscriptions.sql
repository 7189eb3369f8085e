-- safe: online
-- Who is told of which events. Rows are never removed: a delivery made long ago still names its subscription.
CREATE TABLE webhook_subscriptions (
  id            text PRIMARY KEY,
  tenant_id     text NOT NULL,
  url           text NOT NULL,
  -- exact types, `a.*` or `*`
  event_types   text[] NOT NULL CHECK (cardinality(event_types) > 0),
  -- encrypted by the service; wiped when the subscription is deleted
  sealed_secret bytea,
  status        text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'disabled', 'deleted')),
  ended_reason  text,
  ended_at      timestamptz,
  created_at    timestamptz NOT NULL DEFAULT now(),
  CHECK ((status = 'active') = (ended_at IS NULL)),
  CHECK (status <> 'active' OR sealed_secret IS NOT NULL)
);

CREATE INDEX ix_webhook_subscriptions_tenant ON webhook_subscriptions (tenant_id, id);
CREATE INDEX ix_webhook_subscriptions_match ON webhook_subscriptions USING gin (event_types) WHERE status = 'active';
