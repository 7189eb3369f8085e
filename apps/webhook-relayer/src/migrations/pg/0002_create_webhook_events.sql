-- safe: online
-- Every event that came in, once. `body` holds the very bytes that are signed and sent: as jsonb, keys would change
-- their order and numbers their spelling, and the signature would no longer be over what came in.
CREATE TABLE webhook_events (
  tenant_id       text NOT NULL,
  id              text NOT NULL,
  type            text NOT NULL,
  source          text NOT NULL,
  occurred_at     timestamptz NOT NULL,
  ordering_key    text NOT NULL,
  body            bytea NOT NULL,
  -- where it came from, so that every stored event can be traced to its message
  kafka_topic     text NOT NULL,
  kafka_partition integer NOT NULL,
  kafka_offset    bigint NOT NULL,
  received_at     timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, id)
);
