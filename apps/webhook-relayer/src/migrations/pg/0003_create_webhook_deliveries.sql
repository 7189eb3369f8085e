-- safe: online
-- One row for each event and subscription, and the queue that deliveries are claimed from. There are no foreign keys:
-- they would lock the one row of a busy subscription for every delivery.
CREATE TABLE webhook_deliveries (
  id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tenant_id       text NOT NULL,
  event_id        text NOT NULL,
  subscription_id text NOT NULL,
  status          text NOT NULL DEFAULT 'pending'
                  CHECK (status IN ('pending', 'in_flight', 'delivered', 'failed', 'cancelled')),
  -- counted when an attempt begins, so that an event that kills its sender runs out of attempts too
  attempts        integer NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  max_attempts    integer NOT NULL CHECK (max_attempts > 0),
  -- how often a guard put it off; that costs no attempt
  deferrals       integer NOT NULL DEFAULT 0,
  next_attempt_at timestamptz NOT NULL DEFAULT now(),
  claim_token     uuid,
  lease_until     timestamptz,
  last_error      text,
  created_at      timestamptz NOT NULL DEFAULT now(),
  finished_at     timestamptz,
  UNIQUE (tenant_id, event_id, subscription_id),
  CHECK ((status = 'in_flight') = (claim_token IS NOT NULL)),
  CHECK ((status = 'in_flight') = (lease_until IS NOT NULL)),
  CHECK ((status IN ('delivered', 'failed', 'cancelled')) = (finished_at IS NOT NULL))
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);

CREATE INDEX ix_webhook_deliveries_pending ON webhook_deliveries (subscription_id, next_attempt_at, id)
  WHERE status = 'pending';
CREATE INDEX ix_webhook_deliveries_in_flight ON webhook_deliveries (subscription_id) WHERE status = 'in_flight';
CREATE INDEX ix_webhook_deliveries_lease ON webhook_deliveries (lease_until) WHERE status = 'in_flight';
CREATE INDEX ix_webhook_deliveries_due ON webhook_deliveries (next_attempt_at) WHERE status = 'pending';
