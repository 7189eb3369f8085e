-- What one participant has in flight, in sequence order.
-- In: participant id.  Out: instruction_id, sequence_id, attempt_no, claimed_at.  Uses inflight_in_sequence.
SELECT instruction_id, sequence_id, attempt_no, claimed_at FROM payment_outbox_inflight
WHERE participant_id = $1 ORDER BY sequence_id
