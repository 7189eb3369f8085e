-- safe: online
-- Takes a JSON array of entries and enqueues those that are new, in one round trip inside the caller's transaction.
-- The keys go first: whoever inserts a key owns it, a concurrent twin waits here for the end of this
-- transaction, and a duplicate never reaches the sequence, so it burns no number.
-- Raises SLX01 with the instruction ids as JSON in DETAIL when a key is known with another content. It raises rather than
-- answers, since a caller that committed after a conflict would leave keys behind whose instructions never leave.
CREATE FUNCTION payment_outbox_enqueue(entries JSONB)
RETURNS TABLE (entry_position INT, entry_kind TEXT, entry_outbox_id UUID, entry_sequence_id BIGINT)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  fresh     UUID[];
  conflicts JSONB;
BEGIN
  WITH taken AS (
    INSERT INTO payment_outbox_keys (participant_id, idempotency_key, instruction_id, outbox_id, rail_type, request_hash)
    SELECT e.participant_id, e.idempotency_key, e.instruction_id, e.outbox_id, e.rail_type, e.request_hash
    FROM jsonb_to_recordset(entries) AS e (outbox_id UUID, instruction_id TEXT, participant_id TEXT,
                                           idempotency_key TEXT, rail_type TEXT, request_hash TEXT)
    ORDER BY e.participant_id, e.idempotency_key
    ON CONFLICT DO NOTHING
    RETURNING outbox_id
  )
  SELECT coalesce(array_agg(outbox_id), '{}') INTO fresh FROM taken;

  IF cardinality(fresh) < jsonb_array_length(entries) THEN
    SELECT jsonb_agg(e.instruction_id ORDER BY e.instruction_id) INTO conflicts
    FROM jsonb_to_recordset(entries) AS e (outbox_id UUID, instruction_id TEXT, request_hash TEXT)
    LEFT JOIN payment_outbox_keys k ON k.instruction_id = e.instruction_id AND k.request_hash = e.request_hash
    WHERE k.instruction_id IS NULL;
    IF conflicts IS NOT NULL THEN
      RAISE EXCEPTION 'outbox keys are known with another content' USING ERRCODE = 'SLX01', DETAIL = conflicts::TEXT;
    END IF;

    RETURN QUERY
    SELECT e.entry_position, 'duplicate', k.outbox_id, NULL::BIGINT
    FROM jsonb_to_recordset(entries) AS e (entry_position INT, outbox_id UUID, instruction_id TEXT)
    JOIN payment_outbox_keys k ON k.instruction_id = e.instruction_id
    WHERE NOT e.outbox_id = ANY (fresh);
  END IF;

  RETURN QUERY
  WITH asked AS MATERIALIZED (
    SELECT e.*, row_number() OVER (PARTITION BY e.participant_id ORDER BY e.entry_position) AS nth,
           count(*) OVER (PARTITION BY e.participant_id) AS together
    FROM jsonb_to_recordset(entries) AS e (entry_position INT, outbox_id UUID, instruction_id TEXT, participant_id TEXT,
                                           idempotency_key TEXT, rail_type TEXT, payload JSONB)
    WHERE e.outbox_id = ANY (fresh)
  ), bumped AS (
    -- in sorted order, so that two bulk enqueues cannot deadlock on each other's participants
    INSERT INTO participant_outbox_sequences AS s (participant_id, next_sequence_id)
    SELECT participant_id, 1 + together FROM asked WHERE nth = 1 ORDER BY participant_id
    ON CONFLICT (participant_id)
    DO UPDATE SET next_sequence_id = s.next_sequence_id + EXCLUDED.next_sequence_id - 1
    RETURNING s.participant_id, s.next_sequence_id
  ), queued AS (
    INSERT INTO payment_outbox_pending (outbox_id, instruction_id, participant_id, sequence_id, idempotency_key, rail_type, payload)
    SELECT a.outbox_id, a.instruction_id, a.participant_id, b.next_sequence_id - a.together + a.nth - 1,
           a.idempotency_key, a.rail_type, a.payload
    FROM asked a JOIN bumped b ON b.participant_id = a.participant_id
    RETURNING outbox_id, participant_id, sequence_id, rail_type, next_attempt_at, created_at
  ), opened AS (
    -- a participant that has a lane already needs nothing: whoever settles its head looks for the next one
    INSERT INTO participant_outbox_lanes (participant_id, state, outbox_id, rail_type, due_at, head_enqueued_at)
    SELECT DISTINCT ON (participant_id) participant_id, 'READY', outbox_id, rail_type, next_attempt_at, created_at
    FROM queued ORDER BY participant_id, sequence_id
    ON CONFLICT DO NOTHING
  )
  SELECT a.entry_position, 'enqueued', q.outbox_id, q.sequence_id
  FROM queued q JOIN asked a ON a.outbox_id = q.outbox_id;
END
$$;
