-- safe: online
-- What happened, for ever: a claim and its outcome are two rows. Never read to find out what to do next.
-- Partitioned so that months can be split off and dropped by age; until then all rows are in the default partition.
CREATE TABLE payment_outbox_attempts (
  attempt_id      UUID        NOT NULL,
  outbox_id       UUID        NOT NULL,
  instruction_id  TEXT        NOT NULL,
  participant_id  TEXT        NOT NULL,
  sequence_id     BIGINT      NOT NULL,
  idempotency_key TEXT        NOT NULL,
  rail_type       TEXT        NOT NULL,
  -- on DISPATCHING rows only: the outcome rows of an attempt belong to the same payload
  payload         JSONB,
  attempt_no      INT         NOT NULL,
  state           TEXT        NOT NULL CHECK (state IN ('DISPATCHING', 'DISPATCHED', 'RETRYABLE', 'FAILED', 'IN_DOUBT',
                                                        'ZOMBIE_REQUEUE', 'LATE_RESULT')),
  claim_token     UUID        NOT NULL,
  claimed_at      TIMESTAMPTZ NOT NULL,
  completed_at    TIMESTAMPTZ,
  rail_reference  TEXT,
  rail_code       TEXT,
  error_code      TEXT,
  error_message   TEXT,
  latency_ms      INT,
  created_at      TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (attempt_id, created_at)
) PARTITION BY RANGE (created_at);

CREATE TABLE payment_outbox_attempts_default PARTITION OF payment_outbox_attempts DEFAULT;

CREATE INDEX ix_attempts_by_outbox ON payment_outbox_attempts (outbox_id, created_at);

CREATE FUNCTION payment_outbox_attempts_refuse_change() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'payment_outbox_attempts is append-only: % refused', TG_OP USING ERRCODE = 'insufficient_privilege';
END
$$;

CREATE TRIGGER payment_outbox_attempts_append_only
  BEFORE UPDATE OR DELETE ON payment_outbox_attempts
  FOR EACH ROW EXECUTE FUNCTION payment_outbox_attempts_refuse_change();

CREATE TRIGGER payment_outbox_attempts_no_truncate
  BEFORE TRUNCATE ON payment_outbox_attempts
  FOR EACH STATEMENT EXECUTE FUNCTION payment_outbox_attempts_refuse_change();

REVOKE UPDATE, DELETE, TRUNCATE ON payment_outbox_attempts FROM PUBLIC;
