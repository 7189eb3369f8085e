-- breaking: stop the relays (exec-worker, webhook-relayer) first; leases of the old kind are carried over
-- The lease moves from the instruction to its participant, so that a run of instructions can be in flight under one lease.

ALTER TABLE payment_outbox_pending
  -- attempts since it was enqueued or last redriven; attempt_count goes on for ever
  ADD COLUMN tries INT NOT NULL DEFAULT 0;
UPDATE payment_outbox_pending SET tries = attempt_count WHERE attempt_count > 0;

-- For the gauges: the oldest of a rail type, and counting no further than a limit.
CREATE INDEX ix_pending_by_rail ON payment_outbox_pending (rail_type, created_at);

ALTER TABLE participant_outbox_lanes
  ADD COLUMN claim_token UUID,
  ADD COLUMN lease_until TIMESTAMPTZ,
  -- the dead letter that its participant waits for; a lane with instructions in flight is HELD once they have landed
  ADD COLUMN held_by     UUID;
UPDATE participant_outbox_lanes l SET claim_token = i.claim_token, lease_until = i.lease_until
FROM payment_outbox_inflight i WHERE i.participant_id = l.participant_id AND l.state = 'BUSY';
UPDATE participant_outbox_lanes SET held_by = outbox_id WHERE state = 'HELD';
ALTER TABLE participant_outbox_lanes
  DROP COLUMN outbox_id,
  DROP COLUMN head_enqueued_at,
  ADD CONSTRAINT lanes_busy_means_leased CHECK ((state = 'BUSY') = (claim_token IS NOT NULL AND lease_until IS NOT NULL)),
  ADD CONSTRAINT lanes_held_names_its_cause CHECK (state <> 'HELD' OR held_by IS NOT NULL),
  ADD CONSTRAINT lanes_one_token UNIQUE (participant_id, claim_token);

CREATE INDEX ix_lanes_lease ON participant_outbox_lanes (lease_until) WHERE state = 'BUSY';
CREATE INDEX ix_lanes_held ON participant_outbox_lanes (rail_type) WHERE state = 'HELD';

-- The wall behind the code: a lane has one token, and what is in flight for a participant is in flight under that token. So two
-- relays can never hold instructions of one participant, and a lease cannot be taken away while its instructions stay in flight.
ALTER TABLE payment_outbox_inflight
  DROP CONSTRAINT payment_outbox_inflight_participant_id_key,
  DROP COLUMN lease_until,
  ADD COLUMN outcome_unknown BOOLEAN NOT NULL DEFAULT TRUE,
  ADD COLUMN tries           INT     NOT NULL DEFAULT 1,
  ADD CONSTRAINT inflight_in_sequence UNIQUE (participant_id, sequence_id),
  ADD CONSTRAINT inflight_under_the_lanes_token FOREIGN KEY (participant_id, claim_token)
    REFERENCES participant_outbox_lanes (participant_id, claim_token);
UPDATE payment_outbox_inflight SET tries = attempt_no;

ALTER TABLE payment_outbox_dead
  ADD COLUMN holds BOOLEAN NOT NULL DEFAULT FALSE,
  DROP CONSTRAINT payment_outbox_dead_state_check,
  -- a discarded instruction stays, since an instruction that is nowhere was dispatched
  ADD CONSTRAINT dead_state_is_known CHECK (state IN ('FAILED', 'IN_DOUBT', 'DISCARDED')),
  ADD CONSTRAINT dead_discarded_holds_nobody CHECK (state <> 'DISCARDED' OR NOT holds);
UPDATE payment_outbox_dead SET holds = TRUE WHERE state = 'IN_DOUBT';

CREATE INDEX ix_dead_by_participant ON payment_outbox_dead (participant_id);

-- Rows of operators have no claim behind them.
ALTER TABLE payment_outbox_attempts
  ALTER COLUMN claim_token DROP NOT NULL,
  ALTER COLUMN claimed_at DROP NOT NULL,
  ADD COLUMN actor  TEXT,
  ADD COLUMN reason TEXT,
  DROP CONSTRAINT payment_outbox_attempts_state_check,
  ADD CONSTRAINT attempts_state_is_known CHECK (state IN ('DISPATCHING', 'DISPATCHED', 'RETRYABLE', 'DEFERRED', 'FAILED',
    'IN_DOUBT', 'ZOMBIE_REQUEUE', 'LATE_RESULT', 'REDRIVEN', 'RESOLVED_EXECUTED', 'RESOLVED_NOT_EXECUTED',
    'RESOLVED_RESEND', 'DISCARDED')),
  ADD CONSTRAINT attempts_name_who_and_why CHECK (claim_token IS NOT NULL OR (actor IS NOT NULL AND reason IS NOT NULL));
