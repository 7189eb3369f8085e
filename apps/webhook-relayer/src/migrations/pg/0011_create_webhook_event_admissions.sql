-- safe: online
-- The ids under which producers handed events in, written before Kafka gets them. An event is stored only when it comes back
-- from Kafka; until then this is what tells a repetition from another event that uses the same id.
CREATE TABLE webhook_event_admissions (
  tenant_id   text NOT NULL,
  event_id    text NOT NULL,
  -- of the bytes as the producer sent them
  sha256      bytea NOT NULL CHECK (length(sha256) = 32),
  -- given to an event that came without a time, so that its repetition becomes the same bytes
  occurred_at timestamptz NOT NULL,
  admitted_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, event_id)
);
