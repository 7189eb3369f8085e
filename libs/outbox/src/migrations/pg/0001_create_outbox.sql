-- safe: online
-- The present lives in small tables (sequences, lanes, pending, inflight, dead); the past in keys and attempts.

-- The authority on order: the row stays locked until the enqueuing transaction ends, so that the order of numbers is
-- the order of commits. Half-empty pages keep the many updates of a busy participant on their page.
CREATE TABLE participant_outbox_sequences (
  participant_id   TEXT   PRIMARY KEY,
  next_sequence_id BIGINT NOT NULL CHECK (next_sequence_id >= 1)
) WITH (fillfactor = 50);

-- One row for each participant that has work: its head, and whether the head may be claimed. This is the row that
-- claims lock; enqueue never locks it, so that a busy producer cannot keep its own participant from being served.
CREATE TABLE participant_outbox_lanes (
  participant_id   TEXT        PRIMARY KEY,
  state            TEXT        NOT NULL CHECK (state IN ('READY', 'BUSY', 'HELD')),
  outbox_id        UUID        NOT NULL,
  rail_type        TEXT        NOT NULL,
  due_at           TIMESTAMPTZ NOT NULL,
  head_enqueued_at TIMESTAMPTZ NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);

CREATE INDEX ix_lanes_due ON participant_outbox_lanes (rail_type, due_at) WHERE state = 'READY';

CREATE TABLE payment_outbox_pending (
  outbox_id       UUID        PRIMARY KEY,
  instruction_id  TEXT        NOT NULL,
  participant_id  TEXT        NOT NULL,
  sequence_id     BIGINT      NOT NULL,
  idempotency_key TEXT        NOT NULL,
  rail_type       TEXT        NOT NULL,
  payload         JSONB       NOT NULL,
  attempt_count   INT         NOT NULL DEFAULT 0,
  outcome_unknown BOOLEAN     NOT NULL DEFAULT FALSE,
  next_attempt_at TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp(),
  created_at      TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp(),
  UNIQUE (participant_id, sequence_id)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);

-- UNIQUE (participant_id): two instructions of one participant can never be in flight together, whatever the code does.
CREATE TABLE payment_outbox_inflight (
  outbox_id       UUID        PRIMARY KEY,
  instruction_id  TEXT        NOT NULL,
  participant_id  TEXT        NOT NULL UNIQUE,
  sequence_id     BIGINT      NOT NULL,
  idempotency_key TEXT        NOT NULL,
  rail_type       TEXT        NOT NULL,
  payload         JSONB       NOT NULL,
  attempt_no      INT         NOT NULL,
  claim_token     UUID        NOT NULL,
  claimed_at      TIMESTAMPTZ NOT NULL,
  lease_until     TIMESTAMPTZ NOT NULL,
  created_at      TIMESTAMPTZ NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);

CREATE INDEX ix_inflight_lease ON payment_outbox_inflight (lease_until);

-- Permanent: a claim deletes the pending row, and an instruction that left must still be known as a duplicate.
CREATE TABLE payment_outbox_keys (
  participant_id  TEXT        NOT NULL,
  idempotency_key TEXT        NOT NULL,
  instruction_id  TEXT        NOT NULL UNIQUE,
  outbox_id       UUID        NOT NULL,
  rail_type       TEXT        NOT NULL,
  request_hash    TEXT        NOT NULL,
  created_at      TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (participant_id, idempotency_key)
);

-- Dead letters. FAILED released its participant; IN_DOUBT holds it until somebody finds out what happened.
CREATE TABLE payment_outbox_dead (
  outbox_id       UUID        PRIMARY KEY,
  instruction_id  TEXT        NOT NULL,
  participant_id  TEXT        NOT NULL,
  sequence_id     BIGINT      NOT NULL,
  idempotency_key TEXT        NOT NULL,
  rail_type       TEXT        NOT NULL,
  payload         JSONB       NOT NULL,
  attempt_count   INT         NOT NULL,
  state           TEXT        NOT NULL CHECK (state IN ('FAILED', 'IN_DOUBT')),
  error_code      TEXT        NOT NULL,
  error_message   TEXT        NOT NULL,
  created_at      TIMESTAMPTZ NOT NULL,
  died_at         TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp()
);

CREATE INDEX ix_dead_by_state ON payment_outbox_dead (rail_type, state, died_at);
