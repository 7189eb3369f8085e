-- safe: online
-- When an attempt began, and of which run of a replayed delivery it is. Attempts of an event are found through its
-- deliveries, so that every attempt is written to one index less.
ALTER TABLE webhook_delivery_attempts
  ADD COLUMN started_at timestamptz,
  ADD COLUMN replay_no integer NOT NULL DEFAULT 0;

DROP INDEX ix_webhook_delivery_attempts_event;
