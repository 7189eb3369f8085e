-- One instruction and where it is now.
-- In: instruction id.  Out: one row or none; state is PENDING, IN_FLIGHT, FAILED, IN_DOUBT, DISCARDED or DISPATCHED.
-- Uses the unique key on payment_outbox_keys (instruction_id) and the primary keys of the current-state tables.
SELECT k.outbox_id, k.instruction_id, k.participant_id, k.idempotency_key, k.rail_type, k.created_at,
  p.next_attempt_at, coalesce(p.sequence_id, i.sequence_id, d.sequence_id) AS sequence_id,
  CASE WHEN p.outbox_id IS NOT NULL THEN 'PENDING'
       WHEN i.outbox_id IS NOT NULL THEN 'IN_FLIGHT'
       WHEN d.outbox_id IS NOT NULL THEN d.state
       ELSE 'DISPATCHED' END AS state
FROM payment_outbox_keys k
LEFT JOIN payment_outbox_pending p ON p.outbox_id = k.outbox_id
LEFT JOIN payment_outbox_inflight i ON i.outbox_id = k.outbox_id
LEFT JOIN payment_outbox_dead d ON d.outbox_id = k.outbox_id
WHERE k.instruction_id = $1
