-- safe: online
-- Takes leases away that ran out: the instructions go back to their old places with their outcome marked unknown. The lane is
-- locked first, as in a settle, so an outcome that arrives at this moment is either before or after, never between.
CREATE FUNCTION payment_outbox_reap(rail_types TEXT[], most INT) RETURNS SETOF UUID
LANGUAGE plpgsql SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
#variable_conflict use_column
DECLARE
  whose TEXT[];
BEGIN
  WITH expired AS MATERIALIZED (
    SELECT participant_id FROM participant_outbox_lanes
    WHERE state = 'BUSY' AND lease_until < clock_timestamp() AND rail_type = ANY (rail_types)
    ORDER BY lease_until LIMIT most
    FOR UPDATE SKIP LOCKED
  )
  SELECT array_agg(participant_id) INTO whose FROM expired;
  IF whose IS NULL THEN
    RETURN;
  END IF;

  RETURN QUERY
  WITH gone AS (
    DELETE FROM payment_outbox_inflight WHERE participant_id = ANY (whose) RETURNING *
  ), requeued AS (
    INSERT INTO payment_outbox_pending (outbox_id, instruction_id, participant_id, sequence_id, idempotency_key, rail_type,
      payload, attempt_count, tries, outcome_unknown, created_at)
    SELECT outbox_id, instruction_id, participant_id, sequence_id, idempotency_key, rail_type,
      payload, attempt_no, tries, TRUE, created_at
    FROM gone
  ), noted AS (
    INSERT INTO payment_outbox_attempts (attempt_id, outbox_id, instruction_id, participant_id, sequence_id, idempotency_key,
      rail_type, attempt_no, state, claim_token, claimed_at, completed_at, error_code, error_message)
    SELECT payment_outbox_new_id(), outbox_id, instruction_id, participant_id, sequence_id, idempotency_key,
      rail_type, attempt_no, 'ZOMBIE_REQUEUE', claim_token, claimed_at, clock_timestamp(), 'LEASE_EXPIRED',
      'the relay did not report an outcome before its lease ran out'
    FROM gone
  )
  SELECT outbox_id FROM gone;

  PERFORM payment_outbox_move_lanes(whose, NULL);
END
$$;
