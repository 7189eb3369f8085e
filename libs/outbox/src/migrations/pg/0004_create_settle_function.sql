-- safe: online
-- Takes a JSON array of outcomes and writes those whose claim token still holds; the others are on record as LATE_RESULT
-- and change nothing else. Repeating a call whose answer was lost is harmless: it is recognised by its token.
CREATE FUNCTION payment_outbox_settle(results JSONB)
RETURNS TABLE (settled_outbox_id UUID, settled_token UUID, settled_kind TEXT)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  ids     UUID[];
  tokens  UUID[];
  kinds   TEXT[];
  freed   TEXT[];
  held    TEXT[];
  drained TEXT[];
BEGIN
  WITH asked AS MATERIALIZED (
    SELECT * FROM jsonb_to_recordset(results) AS r (outbox_id UUID, token UUID, attempt_id UUID, kind TEXT, state TEXT,
      delay_ms DOUBLE PRECISION, outcome_unknown BOOLEAN, reference TEXT, code TEXT, error_code TEXT,
      error_message TEXT, latency_ms INT)
  ), taken AS (
    DELETE FROM payment_outbox_inflight i USING asked r
    WHERE i.outbox_id = r.outbox_id AND i.claim_token = r.token
    RETURNING i.*, r.attempt_id, r.kind, r.state, r.outcome_unknown, r.reference, r.code, r.error_code, r.error_message,
      r.latency_ms, clock_timestamp() + coalesce(r.delay_ms, 0) * INTERVAL '1 millisecond' AS retry_at
  ), recorded AS (
    INSERT INTO payment_outbox_attempts (attempt_id, outbox_id, instruction_id, participant_id, sequence_id, idempotency_key,
      rail_type, attempt_no, state, claim_token, claimed_at, completed_at, rail_reference, rail_code, error_code,
      error_message, latency_ms)
    SELECT attempt_id, outbox_id, instruction_id, participant_id, sequence_id, idempotency_key, rail_type, attempt_no,
      state, claim_token, claimed_at, clock_timestamp(), reference, code, error_code, error_message, latency_ms
    FROM taken
  ), requeued AS (
    INSERT INTO payment_outbox_pending (outbox_id, instruction_id, participant_id, sequence_id, idempotency_key, rail_type,
      payload, attempt_count, outcome_unknown, next_attempt_at, created_at)
    SELECT outbox_id, instruction_id, participant_id, sequence_id, idempotency_key, rail_type,
      payload, attempt_no, outcome_unknown, retry_at, created_at
    FROM taken WHERE kind = 'retryLater'
  ), buried AS (
    INSERT INTO payment_outbox_dead (outbox_id, instruction_id, participant_id, sequence_id, idempotency_key, rail_type,
      payload, attempt_count, state, error_code, error_message, created_at)
    SELECT outbox_id, instruction_id, participant_id, sequence_id, idempotency_key, rail_type,
      payload, attempt_no, state, error_code, error_message, created_at
    FROM taken WHERE kind IN ('failed', 'inDoubt')
  ), late AS (
    INSERT INTO payment_outbox_attempts (attempt_id, outbox_id, instruction_id, participant_id, sequence_id, idempotency_key,
      rail_type, attempt_no, state, claim_token, claimed_at, completed_at, rail_reference, rail_code, error_code,
      error_message, latency_ms)
    SELECT r.attempt_id, d.outbox_id, d.instruction_id, d.participant_id, d.sequence_id, d.idempotency_key, d.rail_type,
      d.attempt_no, 'LATE_RESULT', d.claim_token, d.claimed_at, clock_timestamp(), r.reference, coalesce(r.code, r.kind),
      r.error_code, r.error_message, r.latency_ms
    FROM asked r
    JOIN payment_outbox_attempts d ON d.outbox_id = r.outbox_id AND d.claim_token = r.token AND d.state = 'DISPATCHING'
    WHERE NOT EXISTS (SELECT 1 FROM taken t WHERE t.outbox_id = r.outbox_id AND t.claim_token = r.token)
      AND NOT EXISTS (SELECT 1 FROM payment_outbox_attempts o
                      WHERE o.outbox_id = r.outbox_id AND o.claim_token = r.token
                        AND o.state NOT IN ('DISPATCHING', 'ZOMBIE_REQUEUE'))
  )
  SELECT array_agg(r.outbox_id), array_agg(r.token),
    array_agg(CASE WHEN t.outbox_id IS NOT NULL THEN 'recorded'
                   WHEN EXISTS (SELECT 1 FROM payment_outbox_attempts o
                                WHERE o.outbox_id = r.outbox_id AND o.claim_token = r.token
                                  AND o.state IN ('DISPATCHED', 'RETRYABLE', 'FAILED', 'IN_DOUBT')) THEN 'recorded'
                   ELSE 'late' END),
    array_agg(t.participant_id) FILTER (WHERE t.kind <> 'inDoubt'),
    array_agg(t.participant_id) FILTER (WHERE t.kind = 'inDoubt')
  INTO ids, tokens, kinds, freed, held
  FROM asked r
  LEFT JOIN taken t ON t.outbox_id = r.outbox_id AND t.claim_token = r.token;

  IF freed IS NOT NULL THEN
    -- A lane may only be closed when no enqueue is under way that saw it open and relies on it. Such an enqueue holds
    -- the participant's sequence row, so wait for that row and look again. This comes before the first change to a
    -- lane, since an enqueue that meets a changed lane waits for us.
    SELECT array_agg(f) INTO drained FROM unnest(freed) AS f
    WHERE NOT EXISTS (SELECT 1 FROM payment_outbox_pending p WHERE p.participant_id = f);
    PERFORM 1 FROM participant_outbox_sequences
    WHERE participant_id = ANY (drained) ORDER BY participant_id FOR UPDATE;

    -- The lowest number is next; after a retry that is the same instruction again. A lane whose head is due joins the
    -- end of the line, which serves participants in turn.
    UPDATE participant_outbox_lanes l
    SET state = 'READY', outbox_id = n.outbox_id, rail_type = n.rail_type,
        due_at = greatest(n.next_attempt_at, clock_timestamp()), head_enqueued_at = n.created_at
    FROM unnest(freed) AS f
    CROSS JOIN LATERAL (
      SELECT p.outbox_id, p.rail_type, p.next_attempt_at, p.created_at FROM payment_outbox_pending p
      WHERE p.participant_id = f ORDER BY p.sequence_id LIMIT 1
    ) n
    WHERE l.participant_id = f;

    DELETE FROM participant_outbox_lanes WHERE participant_id = ANY (drained) AND state = 'BUSY';
  END IF;

  IF held IS NOT NULL THEN
    UPDATE participant_outbox_lanes SET state = 'HELD' WHERE participant_id = ANY (held);
  END IF;

  RETURN QUERY SELECT * FROM unnest(ids, tokens, kinds);
END
$$;
