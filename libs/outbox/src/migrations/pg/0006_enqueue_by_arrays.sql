-- breaking: stop the producers (exec-worker) and relays first; the function takes other arguments
-- Enqueues those entries of a batch that are new, in one round trip inside the caller's transaction.
-- The keys go first: whoever inserts a key owns it, a concurrent twin waits here for the end of this
-- transaction, and a duplicate never reaches the sequence, so it burns no number.
-- An entry whose key is known with another content has inserted nothing. Either it is answered as a conflict, and the others
-- are enqueued; or SLX01 is raised with the instruction ids as JSON in DETAIL, so that the caller cannot commit.
DROP FUNCTION payment_outbox_enqueue(JSONB);

CREATE FUNCTION payment_outbox_enqueue(
  outbox_ids UUID[], instruction_ids TEXT[], participant_ids TEXT[], idempotency_keys TEXT[], rail_types TEXT[],
  request_hashes TEXT[], payloads JSONB, refuses_conflicts BOOLEAN
)
RETURNS TABLE (entry_position BIGINT, entry_kind TEXT, entry_outbox_id UUID, entry_sequence_id BIGINT)
LANGUAGE plpgsql SET enable_seqscan = off AS $$
#variable_conflict use_column
DECLARE
  inserted  BIGINT;
  fresh     UUID[];
  conflicts JSONB;
BEGIN
  INSERT INTO payment_outbox_keys (participant_id, idempotency_key, instruction_id, outbox_id, rail_type, request_hash)
  SELECT e.participant_id, e.idempotency_key, e.instruction_id, e.outbox_id, e.rail_type, e.request_hash
  FROM unnest(participant_ids, idempotency_keys, instruction_ids, outbox_ids, rail_types, request_hashes)
    AS e (participant_id, idempotency_key, instruction_id, outbox_id, rail_type, request_hash)
  ORDER BY e.participant_id, e.idempotency_key
  ON CONFLICT DO NOTHING;
  GET DIAGNOSTICS inserted = ROW_COUNT;

  -- `fresh` stays NULL in the usual case: everything is new
  IF inserted < cardinality(outbox_ids) THEN
    SELECT coalesce(array_agg(e.outbox_id), '{}') INTO fresh
    FROM unnest(outbox_ids, instruction_ids) AS e (outbox_id, instruction_id)
    JOIN payment_outbox_keys k ON k.instruction_id = e.instruction_id AND k.outbox_id = e.outbox_id;
    IF refuses_conflicts THEN
      SELECT jsonb_agg(e.instruction_id ORDER BY e.instruction_id) INTO conflicts
      FROM unnest(instruction_ids, request_hashes) AS e (instruction_id, request_hash)
      LEFT JOIN payment_outbox_keys k ON k.instruction_id = e.instruction_id AND k.request_hash = e.request_hash
      WHERE k.instruction_id IS NULL;
      IF conflicts IS NOT NULL THEN
        RAISE EXCEPTION 'outbox keys are known with another content' USING ERRCODE = 'SLX01', DETAIL = conflicts::TEXT;
      END IF;
    END IF;
    RETURN QUERY
    SELECT e.place, CASE WHEN k.outbox_id IS NULL THEN 'conflict' ELSE 'duplicate' END, k.outbox_id, NULL::BIGINT
    FROM unnest(outbox_ids, instruction_ids, request_hashes) WITH ORDINALITY AS e (outbox_id, instruction_id, request_hash, place)
    LEFT JOIN payment_outbox_keys k ON k.instruction_id = e.instruction_id AND k.request_hash = e.request_hash
    WHERE NOT e.outbox_id = ANY (fresh);
  END IF;

  RETURN QUERY
  WITH asked AS MATERIALIZED (
    SELECT e.*, row_number() OVER (PARTITION BY e.participant_id ORDER BY e.place) AS nth,
           count(*) OVER (PARTITION BY e.participant_id) AS together
    FROM ROWS FROM (unnest(outbox_ids), unnest(instruction_ids), unnest(participant_ids), unnest(idempotency_keys),
                    unnest(rail_types), jsonb_array_elements(payloads))
      WITH ORDINALITY AS e (outbox_id, instruction_id, participant_id, idempotency_key, rail_type, payload, place)
    WHERE fresh IS NULL OR e.outbox_id = ANY (fresh)
  ), bumped AS (
    -- in sorted order, so that two bulk enqueues cannot deadlock on each other's participants
    INSERT INTO participant_outbox_sequences AS s (participant_id, next_sequence_id)
    SELECT participant_id, 1 + together FROM asked WHERE nth = 1 ORDER BY participant_id
    ON CONFLICT (participant_id)
    DO UPDATE SET next_sequence_id = s.next_sequence_id + EXCLUDED.next_sequence_id - 1
    RETURNING s.participant_id, s.next_sequence_id
  ), numbered AS MATERIALIZED (
    SELECT a.*, b.next_sequence_id - a.together + a.nth - 1 AS sequence_id
    FROM asked a JOIN bumped b ON b.participant_id = a.participant_id
  ), queued AS (
    INSERT INTO payment_outbox_pending (outbox_id, instruction_id, participant_id, sequence_id, idempotency_key, rail_type, payload)
    SELECT outbox_id, instruction_id, participant_id, sequence_id, idempotency_key, rail_type, payload FROM numbered
  ), opened AS (
    -- a participant that has a lane already needs nothing: whoever settles its head looks for the next one
    INSERT INTO participant_outbox_lanes (participant_id, state, rail_type, due_at)
    SELECT participant_id, 'READY', rail_type, clock_timestamp() FROM numbered WHERE nth = 1
    ON CONFLICT DO NOTHING
  )
  SELECT place, 'enqueued', outbox_id, sequence_id FROM numbered;
END
$$;
