-- One participant: its next number, what waits first, and what it is held by.
-- In: participant id, how far to count what waits.  Out: one row or none.  Uses primary and unique keys only.
SELECT s.participant_id, s.next_sequence_id, coalesce(l.state, 'IDLE') AS state, l.lease_until,
  (SELECT count(*) FROM (SELECT 1 FROM payment_outbox_pending c WHERE c.participant_id = s.participant_id LIMIT $2::INT) c)
    AS pending,
  p.instruction_id AS oldest_instruction_id, p.sequence_id AS oldest_sequence_id, p.rail_type AS oldest_rail_type,
  p.attempt_count AS oldest_attempts, p.created_at AS oldest_enqueued_at, p.next_attempt_at AS oldest_next_attempt_at,
  d.instruction_id AS holder_instruction_id, d.sequence_id AS holder_sequence_id, d.state AS holder_state,
  d.error_code AS holder_error_code, d.died_at AS holder_since
FROM participant_outbox_sequences s
LEFT JOIN participant_outbox_lanes l ON l.participant_id = s.participant_id
LEFT JOIN LATERAL (
  SELECT * FROM payment_outbox_pending o WHERE o.participant_id = s.participant_id ORDER BY o.sequence_id LIMIT 1
) p ON TRUE
LEFT JOIN payment_outbox_dead d ON d.outbox_id = l.held_by
WHERE s.participant_id = $1
