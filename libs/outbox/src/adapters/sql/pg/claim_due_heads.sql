-- Lease the heads of up to $2 participants that are due and free; skips participants that another relay is claiming.
-- In: rail types (distinct), limit, lease in seconds, token, attempt ids (as many as the limit).
-- Out: the instructions, at most one for each participant.  Uses ix_lanes_due.
-- The lane is what is locked, so two relays can never hold rows of one participant. A lane that changed after this
-- statement began is read again when it is locked; if its head is a row that this statement cannot see yet, the
-- DELETE does not find it, the lane stays READY and the next claim takes it.
WITH due AS MATERIALIZED (
  SELECT lane.participant_id, lane.outbox_id
  FROM unnest($1::TEXT[]) AS wanted (rail_type)
  CROSS JOIN LATERAL (
    SELECT l.participant_id, l.outbox_id, l.due_at FROM participant_outbox_lanes l
    WHERE l.state = 'READY' AND l.rail_type = wanted.rail_type AND l.due_at <= now()
    ORDER BY l.due_at LIMIT $2::INT
    FOR UPDATE SKIP LOCKED
  ) lane
  ORDER BY lane.due_at LIMIT $2::INT
), taken AS (
  DELETE FROM payment_outbox_pending p USING due d WHERE p.outbox_id = d.outbox_id
  RETURNING p.*
), leased AS (
  INSERT INTO payment_outbox_inflight (outbox_id, instruction_id, participant_id, sequence_id, idempotency_key, rail_type,
    payload, attempt_no, claim_token, claimed_at, lease_until, created_at)
  SELECT outbox_id, instruction_id, participant_id, sequence_id, idempotency_key, rail_type,
    payload, attempt_count + 1, $4::UUID, now(), clock_timestamp() + $3::INT * INTERVAL '1 second', created_at
  FROM taken
), busied AS (
  UPDATE participant_outbox_lanes l SET state = 'BUSY' FROM taken t WHERE l.participant_id = t.participant_id
), logged AS (
  INSERT INTO payment_outbox_attempts (attempt_id, outbox_id, instruction_id, participant_id, sequence_id, idempotency_key,
    rail_type, payload, attempt_no, state, claim_token, claimed_at)
  SELECT ($5::UUID[])[row_number() OVER ()], outbox_id, instruction_id, participant_id, sequence_id, idempotency_key,
    rail_type, payload, attempt_count + 1, 'DISPATCHING', $4::UUID, now()
  FROM taken
)
SELECT outbox_id, instruction_id, participant_id, sequence_id, idempotency_key, rail_type, payload,
  attempt_count + 1 AS attempt_no, outcome_unknown, created_at
FROM taken
