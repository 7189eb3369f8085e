-- safe: online
-- What an operator does to dead letters, each with an attempt row that says who and why:
--   REDRIVEN               FAILED   → pending again, with its old number and key and a fresh count of tries
--   DISCARDED              FAILED   → closed for good
--   RESOLVED_EXECUTED      IN_DOUBT → gone, as after a send
--   RESOLVED_NOT_EXECUTED  IN_DOUBT → FAILED, to be redriven or discarded later
--   RESOLVED_RESEND        IN_DOUBT → pending again
-- Works on those that are (still) in the state the action starts from, and answers which: of two operators one is first.
CREATE FUNCTION payment_outbox_operate(wanted UUID[], action TEXT, by_whom TEXT, why TEXT, proof TEXT)
RETURNS SETOF TEXT
LANGUAGE plpgsql SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
#variable_conflict use_column
DECLARE
  start_state TEXT := CASE WHEN action IN ('REDRIVEN', 'DISCARDED') THEN 'FAILED' ELSE 'IN_DOUBT' END;
  end_state   TEXT := CASE action WHEN 'DISCARDED' THEN 'DISCARDED' WHEN 'RESOLVED_NOT_EXECUTED' THEN 'FAILED' END;
  whose       TEXT[];
  chosen      UUID[];
BEGIN
  SELECT array_agg(DISTINCT participant_id) INTO whose FROM payment_outbox_dead
  WHERE outbox_id = ANY (wanted) AND state = start_state;
  -- As an enqueue does: the sequence rows keep the lanes from being closed meanwhile.
  PERFORM 1 FROM participant_outbox_sequences WHERE participant_id = ANY (whose) ORDER BY participant_id FOR UPDATE;
  SELECT array_agg(outbox_id) INTO chosen FROM (
    SELECT outbox_id FROM payment_outbox_dead
    WHERE outbox_id = ANY (wanted) AND state = start_state ORDER BY outbox_id FOR UPDATE
  ) d;

  RETURN QUERY
  WITH logged AS (
    INSERT INTO payment_outbox_attempts (attempt_id, outbox_id, instruction_id, participant_id, sequence_id, idempotency_key,
      rail_type, attempt_no, state, completed_at, rail_reference, actor, reason)
    SELECT payment_outbox_new_id(), outbox_id, instruction_id, participant_id, sequence_id, idempotency_key,
      rail_type, attempt_count, action, clock_timestamp(), proof, by_whom, why
    FROM payment_outbox_dead WHERE outbox_id = ANY (chosen)
    RETURNING instruction_id
  ), queued AS (
    INSERT INTO payment_outbox_pending (outbox_id, instruction_id, participant_id, sequence_id, idempotency_key, rail_type,
      payload, attempt_count, tries, outcome_unknown, created_at)
    SELECT outbox_id, instruction_id, participant_id, sequence_id, idempotency_key, rail_type,
      payload, attempt_count, 0, FALSE, created_at
    FROM payment_outbox_dead WHERE outbox_id = ANY (chosen) AND action IN ('REDRIVEN', 'RESOLVED_RESEND')
  ), kept AS (
    UPDATE payment_outbox_dead SET state = end_state, holds = FALSE
    WHERE outbox_id = ANY (chosen) AND end_state IS NOT NULL
  ), closed AS (
    DELETE FROM payment_outbox_dead WHERE outbox_id = ANY (chosen) AND end_state IS NULL
  )
  SELECT instruction_id FROM logged;

  PERFORM payment_outbox_free_lanes(whose, chosen);
END
$$;

-- Opens the lanes of participants after an operator changed what they wait for: a cause that is gone holds no longer, and
-- what went back to pending may be a new head. The caller holds the sequence rows.
CREATE FUNCTION payment_outbox_free_lanes(whose TEXT[], causes UUID[]) RETURNS VOID
LANGUAGE plpgsql SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
#variable_conflict use_column
BEGIN
  INSERT INTO participant_outbox_lanes (participant_id, state, rail_type, due_at)
  SELECT w.participant_id, 'READY', n.rail_type, clock_timestamp()
  FROM unnest(whose) AS w (participant_id)
  CROSS JOIN LATERAL (
    SELECT p.rail_type FROM payment_outbox_pending p
    WHERE p.participant_id = w.participant_id ORDER BY p.sequence_id LIMIT 1
  ) n
  ORDER BY w.participant_id
  ON CONFLICT DO NOTHING;

  PERFORM 1 FROM participant_outbox_lanes WHERE participant_id = ANY (whose) ORDER BY participant_id FOR UPDATE;
  UPDATE participant_outbox_lanes
  SET held_by = NULL, state = CASE state WHEN 'BUSY' THEN 'BUSY' ELSE 'READY' END
  WHERE participant_id = ANY (whose) AND held_by = ANY (causes);
  PERFORM payment_outbox_move_lanes(
    (SELECT array_agg(participant_id) FROM participant_outbox_lanes WHERE participant_id = ANY (whose) AND state = 'READY'), NULL);
END
$$;
