-- breaking: stop webhook-relayer first, since the version before inserts deliveries without their event type
-- What lists of deliveries filter by, how often one was replayed, and fewer indexes on the way of every delivery: each is
-- written again whenever a delivery changes its state.
ALTER TABLE webhook_deliveries
  ADD COLUMN event_type text,
  -- a replay begins the same delivery anew, with its attempts at zero and the webhook-id it always had
  ADD COLUMN replay_count integer NOT NULL DEFAULT 0 CHECK (replay_count >= 0),
  ADD COLUMN replayed_at timestamptz,
  ADD COLUMN last_attempt_at timestamptz,
  ADD COLUMN last_status_code integer;

UPDATE webhook_deliveries delivery SET event_type = event.type
FROM webhook_events event
WHERE event.tenant_id = delivery.tenant_id AND event.id = delivery.event_id;

ALTER TABLE webhook_deliveries ALTER COLUMN event_type SET NOT NULL;

-- The limits of a subscription are counted by its guards, and what is due is found subscription by subscription.
DROP INDEX ix_webhook_deliveries_in_flight;
DROP INDEX ix_webhook_deliveries_due;

-- Lists, newest first: all of a tenant, those of a subscription, and those that failed. Types are looked through within the
-- span of a list.
CREATE INDEX ix_webhook_deliveries_tenant ON webhook_deliveries (tenant_id, created_at, id);
CREATE INDEX ix_webhook_deliveries_subscription ON webhook_deliveries (subscription_id, created_at, id);
CREATE INDEX ix_webhook_deliveries_failed ON webhook_deliveries (tenant_id, created_at, id) WHERE status = 'failed';

-- Test events are made by the service itself and have no message.
ALTER TABLE webhook_events
  ALTER COLUMN kafka_topic DROP NOT NULL,
  ALTER COLUMN kafka_partition DROP NOT NULL,
  ALTER COLUMN kafka_offset DROP NOT NULL;
