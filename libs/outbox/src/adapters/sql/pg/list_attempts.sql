-- Everything that happened to one instruction, oldest first.
-- In: outbox id.  Out: attempt rows.  Uses ix_attempts_by_outbox.
SELECT sequence_id, attempt_no, state, created_at, rail_reference, rail_code, error_code, error_message, latency_ms, actor,
  reason
FROM payment_outbox_attempts
WHERE outbox_id = $1
ORDER BY created_at
