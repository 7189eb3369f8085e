-- safe: online
-- A UUID of version 7, whose beginning is the time: the archive grows at the end of its primary key, not all over it.
-- PostgreSQL has a function for it from version 18 on.
CREATE FUNCTION payment_outbox_new_id() RETURNS UUID LANGUAGE sql VOLATILE AS $$
  SELECT encode(set_byte(
    overlay(uuid_send(gen_random_uuid()) PLACING substring(int8send((extract(EPOCH FROM clock_timestamp()) * 1000)::BIGINT) FROM 3) FROM 1 FOR 6),
    6, 112 + floor(random() * 16)::INT), 'hex')::UUID
$$;

-- Leases up to `total` participants that are due and free, and takes the first instructions of each: for rail type n at most
-- participants[n] participants with run_lengths[n] instructions.
-- Two statements on purpose: the second has a newer snapshot than the locks of the first, so it sees whatever the lane's
-- last holder left. Nobody else changes what a leased participant has in front; producers only append.
-- Planned by rule: the statistics of tables that fill and empty by the second are always wrong, and a scan of the backlog to
-- take a few rows of it would be the price.
CREATE FUNCTION payment_outbox_claim(
  rail_types TEXT[], participants INT[], run_lengths INT[], total INT, lease_seconds INT, token UUID
)
RETURNS TABLE (outbox_id UUID, instruction_id TEXT, participant_id TEXT, sequence_id BIGINT, idempotency_key TEXT,
  rail_type TEXT, payload JSONB, attempt_no INT, try_no INT, outcome_unknown BOOLEAN, created_at TIMESTAMPTZ)
LANGUAGE plpgsql SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
#variable_conflict use_column
DECLARE
  whose   TEXT[];
  rails   TEXT[];
  lengths INT[];
BEGIN
  WITH due AS MATERIALIZED (
    SELECT lane.participant_id, wanted.run_length
    FROM unnest(rail_types, participants, run_lengths) AS wanted (rail_type, most, run_length)
    CROSS JOIN LATERAL (
      SELECT l.participant_id, l.due_at FROM participant_outbox_lanes l
      WHERE l.state = 'READY' AND l.rail_type = wanted.rail_type AND l.due_at <= now()
      ORDER BY l.due_at LIMIT least(wanted.most, total)
      FOR UPDATE SKIP LOCKED
    ) lane
    ORDER BY lane.due_at LIMIT total
  ), leased AS (
    UPDATE participant_outbox_lanes l
    SET state = 'BUSY', claim_token = token, lease_until = clock_timestamp() + lease_seconds * INTERVAL '1 second'
    FROM due d WHERE l.participant_id = d.participant_id
    RETURNING l.participant_id, l.rail_type, d.run_length
  )
  SELECT array_agg(participant_id), array_agg(rail_type), array_agg(run_length) INTO whose, rails, lengths FROM leased;
  IF whose IS NULL THEN
    RETURN;
  END IF;

  RETURN QUERY
  WITH run AS MATERIALIZED (
    SELECT n.outbox_id
    FROM unnest(whose, rails, lengths) AS w (participant_id, rail_type, run_length)
    CROSS JOIN LATERAL (
      SELECT f.outbox_id, bool_and(f.goes) OVER (ORDER BY f.sequence_id) AS goes
      FROM (
        SELECT p.outbox_id, p.sequence_id, p.rail_type = w.rail_type AND p.next_attempt_at <= clock_timestamp() AS goes
        FROM payment_outbox_pending p WHERE p.participant_id = w.participant_id
        ORDER BY p.sequence_id LIMIT w.run_length
      ) f
    ) n
    WHERE n.goes
  ), taken AS (
    DELETE FROM payment_outbox_pending p USING run r WHERE p.outbox_id = r.outbox_id
    RETURNING p.*
  ), flying AS (
    INSERT INTO payment_outbox_inflight (outbox_id, instruction_id, participant_id, sequence_id, idempotency_key, rail_type,
      payload, attempt_no, tries, outcome_unknown, claim_token, claimed_at, created_at)
    SELECT outbox_id, instruction_id, participant_id, sequence_id, idempotency_key, rail_type,
      payload, attempt_count + 1, tries + 1, outcome_unknown, token, now(), created_at
    FROM taken
  ), logged AS (
    INSERT INTO payment_outbox_attempts (attempt_id, outbox_id, instruction_id, participant_id, sequence_id, idempotency_key,
      rail_type, payload, attempt_no, state, claim_token, claimed_at)
    SELECT payment_outbox_new_id(), outbox_id, instruction_id, participant_id, sequence_id, idempotency_key,
      rail_type, payload, attempt_count + 1, 'DISPATCHING', token, now()
    FROM taken
  )
  SELECT outbox_id, instruction_id, participant_id, sequence_id, idempotency_key, rail_type, payload,
    attempt_count + 1, tries + 1, outcome_unknown, created_at
  FROM taken;
END
$$;
