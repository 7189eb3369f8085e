-- Requeue instructions whose lease ran out, at their old place, with their outcome marked unknown.
-- In: rail types, limit, attempt ids (as many as the limit).  Out: outbox_id.  Uses ix_inflight_lease.
WITH expired AS MATERIALIZED (
  SELECT outbox_id FROM payment_outbox_inflight
  WHERE lease_until < now() AND rail_type = ANY ($1::TEXT[])
  ORDER BY lease_until LIMIT $2::INT
  FOR UPDATE SKIP LOCKED
), gone AS (
  DELETE FROM payment_outbox_inflight i USING expired e WHERE i.outbox_id = e.outbox_id
  RETURNING i.*
), requeued AS (
  INSERT INTO payment_outbox_pending (outbox_id, instruction_id, participant_id, sequence_id, idempotency_key, rail_type,
    payload, attempt_count, outcome_unknown, created_at)
  SELECT outbox_id, instruction_id, participant_id, sequence_id, idempotency_key, rail_type,
    payload, attempt_no, TRUE, created_at
  FROM gone
), released AS (
  UPDATE participant_outbox_lanes l SET state = 'READY', due_at = clock_timestamp()
  FROM gone g WHERE l.participant_id = g.participant_id
), noted AS (
  INSERT INTO payment_outbox_attempts (attempt_id, outbox_id, instruction_id, participant_id, sequence_id, idempotency_key,
    rail_type, attempt_no, state, claim_token, claimed_at, completed_at, error_code, error_message)
  SELECT ($3::UUID[])[row_number() OVER ()], outbox_id, instruction_id, participant_id, sequence_id, idempotency_key,
    rail_type, attempt_no, 'ZOMBIE_REQUEUE', claim_token, claimed_at, clock_timestamp(), 'LEASE_EXPIRED',
    'the relay did not report an outcome before its lease ran out'
  FROM gone
)
SELECT outbox_id FROM gone
