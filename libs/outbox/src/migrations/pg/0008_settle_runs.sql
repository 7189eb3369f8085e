-- breaking: stop the relays (exec-worker, webhook-relayer) first; outcomes name their participant now
-- Writes the outcomes whose claim token still holds; the others are on record as LATE_RESULT and change nothing else.
-- Repeating a call whose answer was lost is harmless: it is recognised by its token.
CREATE OR REPLACE FUNCTION payment_outbox_settle(results JSONB)
RETURNS TABLE (settled_outbox_id UUID, settled_token UUID, settled_kind TEXT)
LANGUAGE plpgsql SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
#variable_conflict use_column
DECLARE
  whose   TEXT[];
  done    UUID[];
  touched TEXT[];
  holders UUID[];
BEGIN
  SELECT array_agg(DISTINCT r.participant_id) INTO whose FROM jsonb_to_recordset(results) AS r (participant_id TEXT);

  -- A lane may only be closed when no enqueue is under way that saw it open and relies on it. Such an enqueue holds the
  -- participant's sequence row, so wait for that row wherever nothing is pending. Whoever has something pending keeps it: it
  -- is in our lease. Sequence rows come before lanes, for everybody, so that nobody waits in a circle.
  PERFORM 1 FROM participant_outbox_sequences s
  WHERE s.participant_id = ANY (whose)
    AND NOT EXISTS (SELECT 1 FROM payment_outbox_pending p WHERE p.participant_id = s.participant_id)
  ORDER BY s.participant_id FOR UPDATE;
  PERFORM 1 FROM participant_outbox_lanes WHERE participant_id = ANY (whose) ORDER BY participant_id FOR UPDATE;

  WITH asked AS MATERIALIZED (
    SELECT * FROM jsonb_to_recordset(results) AS r (outbox_id UUID, token UUID, kind TEXT, state TEXT, holds BOOLEAN,
      delay_ms DOUBLE PRECISION, outcome_unknown BOOLEAN, reference TEXT, code TEXT, error_code TEXT,
      error_message TEXT, latency_ms INT)
  ), taken AS (
    DELETE FROM payment_outbox_inflight i USING asked r
    WHERE i.outbox_id = r.outbox_id AND i.claim_token = r.token
    RETURNING i.outbox_id, i.instruction_id, i.participant_id, i.sequence_id, i.idempotency_key, i.rail_type, i.payload,
      i.attempt_no, i.tries, i.claim_token, i.claimed_at, i.created_at, r.kind, r.state, r.holds, r.delay_ms,
      r.outcome_unknown, r.reference, r.code, r.error_code, r.error_message, r.latency_ms
  ), recorded AS (
    INSERT INTO payment_outbox_attempts (attempt_id, outbox_id, instruction_id, participant_id, sequence_id, idempotency_key,
      rail_type, attempt_no, state, claim_token, claimed_at, completed_at, rail_reference, rail_code, error_code,
      error_message, latency_ms)
    SELECT payment_outbox_new_id(), outbox_id, instruction_id, participant_id, sequence_id, idempotency_key, rail_type, attempt_no,
      state, claim_token, claimed_at, clock_timestamp(), reference, code, error_code, error_message, latency_ms
    FROM taken
  ), requeued AS (
    -- what was deferred was not sent, so it gives its attempt back
    INSERT INTO payment_outbox_pending (outbox_id, instruction_id, participant_id, sequence_id, idempotency_key, rail_type,
      payload, attempt_count, tries, outcome_unknown, next_attempt_at, created_at)
    SELECT outbox_id, instruction_id, participant_id, sequence_id, idempotency_key, rail_type, payload,
      attempt_no - (kind = 'deferred')::INT, tries - (kind = 'deferred')::INT, outcome_unknown,
      clock_timestamp() + delay_ms * INTERVAL '1 millisecond', created_at
    FROM taken WHERE kind IN ('retryLater', 'deferred')
  ), buried AS (
    INSERT INTO payment_outbox_dead (outbox_id, instruction_id, participant_id, sequence_id, idempotency_key, rail_type,
      payload, attempt_count, state, holds, error_code, error_message, created_at)
    SELECT outbox_id, instruction_id, participant_id, sequence_id, idempotency_key, rail_type,
      payload, attempt_no, state, holds, error_code, error_message, created_at
    FROM taken WHERE kind IN ('failed', 'inDoubt')
  ), per_lane AS (
    SELECT participant_id, array_agg(outbox_id) AS outbox_ids,
      (array_agg(outbox_id ORDER BY sequence_id) FILTER (WHERE holds AND kind IN ('failed', 'inDoubt')))[1] AS holder
    FROM taken GROUP BY participant_id
  )
  SELECT array_agg(participant_id), array_agg(holder), (SELECT array_agg(outbox_id) FROM taken)
  INTO touched, holders, done FROM per_lane;

  IF touched IS NOT NULL THEN
    PERFORM payment_outbox_move_lanes(touched, holders);
  END IF;
  IF coalesce(cardinality(done), 0) = jsonb_array_length(results) THEN
    RETURN QUERY SELECT r.outbox_id, r.token, 'recorded' FROM jsonb_to_recordset(results) AS r (outbox_id UUID, token UUID);
  ELSE
    RETURN QUERY SELECT * FROM payment_outbox_settle_late(results, coalesce(done, '{}'));
  END IF;
END
$$;

-- Moves the lanes of participants on after some of what they had in flight was settled. The caller has locked them.
-- The lowest number is next; after a retry that is the same instruction again. A lane whose head is due joins the end of
-- the line, which serves participants in turn.
CREATE FUNCTION payment_outbox_move_lanes(whose TEXT[], holders UUID[]) RETURNS VOID
LANGUAGE plpgsql SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
#variable_conflict use_column
BEGIN
  WITH landed AS MATERIALIZED (
    SELECT w.participant_id, w.holder, n.rail_type, n.next_attempt_at,
      EXISTS (SELECT 1 FROM payment_outbox_inflight i WHERE i.participant_id = w.participant_id) AS is_flying
    FROM unnest(whose, holders) AS w (participant_id, holder)
    LEFT JOIN LATERAL (
      SELECT p.rail_type, p.next_attempt_at FROM payment_outbox_pending p
      WHERE p.participant_id = w.participant_id ORDER BY p.sequence_id LIMIT 1
    ) n ON TRUE
  ), moved AS (
    UPDATE participant_outbox_lanes l
    SET held_by = coalesce(n.holder, l.held_by),
        state = CASE WHEN n.is_flying THEN l.state WHEN coalesce(n.holder, l.held_by) IS NOT NULL THEN 'HELD' ELSE 'READY' END,
        claim_token = CASE WHEN n.is_flying THEN l.claim_token END,
        lease_until = CASE WHEN n.is_flying THEN l.lease_until END,
        rail_type = CASE WHEN n.is_flying THEN l.rail_type ELSE coalesce(n.rail_type, l.rail_type) END,
        due_at = greatest(n.next_attempt_at, clock_timestamp())
    FROM landed n
    WHERE l.participant_id = n.participant_id
      AND (n.rail_type IS NOT NULL OR n.is_flying OR coalesce(n.holder, l.held_by) IS NOT NULL)
  )
  DELETE FROM participant_outbox_lanes l USING landed n
  WHERE l.participant_id = n.participant_id
    AND NOT (n.rail_type IS NOT NULL OR n.is_flying OR coalesce(n.holder, l.held_by) IS NOT NULL);
END
$$;

-- Of results that found no claim under their token: those that are on record already are recognised, the others are recorded
-- as late, once for each token.
CREATE FUNCTION payment_outbox_settle_late(results JSONB, done UUID[])
RETURNS TABLE (settled_outbox_id UUID, settled_token UUID, settled_kind TEXT)
LANGUAGE plpgsql SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  SELECT r.outbox_id, r.token,
    CASE WHEN r.outbox_id = ANY (done)
           OR EXISTS (SELECT 1 FROM payment_outbox_attempts o
                      WHERE o.outbox_id = r.outbox_id AND o.claim_token = r.token
                        AND o.state IN ('DISPATCHED', 'RETRYABLE', 'DEFERRED', 'FAILED', 'IN_DOUBT'))
         THEN 'recorded' ELSE 'late' END
  FROM jsonb_to_recordset(results) AS r (outbox_id UUID, token UUID);

  INSERT INTO payment_outbox_attempts (attempt_id, outbox_id, instruction_id, participant_id, sequence_id, idempotency_key,
    rail_type, attempt_no, state, claim_token, claimed_at, completed_at, rail_reference, rail_code, error_code,
    error_message, latency_ms)
  SELECT payment_outbox_new_id(), d.outbox_id, d.instruction_id, d.participant_id, d.sequence_id, d.idempotency_key, d.rail_type,
    d.attempt_no, 'LATE_RESULT', d.claim_token, d.claimed_at, clock_timestamp(), r.reference, coalesce(r.code, r.kind),
    r.error_code, r.error_message, r.latency_ms
  FROM jsonb_to_recordset(results) AS r (outbox_id UUID, token UUID, kind TEXT, reference TEXT, code TEXT, error_code TEXT,
    error_message TEXT, latency_ms INT)
  JOIN payment_outbox_attempts d ON d.outbox_id = r.outbox_id AND d.claim_token = r.token AND d.state = 'DISPATCHING'
  WHERE NOT r.outbox_id = ANY (done)
    AND NOT EXISTS (SELECT 1 FROM payment_outbox_attempts o
                    WHERE o.outbox_id = r.outbox_id AND o.claim_token = r.token
                      AND o.state NOT IN ('DISPATCHING', 'ZOMBIE_REQUEUE'));
END
$$;
