-- safe: online
-- What happened to subscriptions and who did it: created, changed, paused, disabled, rotated, replayed. Append-only.
CREATE TABLE webhook_operational_events (
  id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tenant_id       text NOT NULL,
  subscription_id text,
  -- for example subscription.disabled
  type            text NOT NULL,
  -- the caller, or `sluice` for what the service did by itself
  actor           text NOT NULL,
  detail          jsonb NOT NULL DEFAULT '{}',
  occurred_at     timestamptz NOT NULL DEFAULT now()
);

CREATE INDEX ix_webhook_operational_events_tenant ON webhook_operational_events (tenant_id, id);
CREATE INDEX ix_webhook_operational_events_subscription ON webhook_operational_events (subscription_id, id);

CREATE FUNCTION refuse_webhook_operational_event_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'webhook_operational_events is append-only' USING ERRCODE = 'restrict_violation';
END
$$;

CREATE TRIGGER webhook_operational_events_append_only
  BEFORE UPDATE OR DELETE OR TRUNCATE ON webhook_operational_events
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_webhook_operational_event_change();
