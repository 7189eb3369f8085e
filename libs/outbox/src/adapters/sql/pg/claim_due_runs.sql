-- Lease participants that are due and free, with the first instructions of each.
-- In: rail types (distinct), participants at most of each, instructions of one participant at most of each, participants at
-- most in all, lease in seconds, token.  Out: the instructions, in any order.  Uses ix_lanes_due and the unique key of
-- payment_outbox_pending (participant_id, sequence_id).
SELECT outbox_id, instruction_id, participant_id, sequence_id, idempotency_key, rail_type, payload, attempt_no, try_no,
  outcome_unknown, created_at
FROM payment_outbox_claim($1::TEXT[], $2::INT[], $3::INT[], $4::INT, $5::INT, $6::UUID)
