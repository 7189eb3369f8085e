-- Enqueue what is new of a batch, inside the caller's transaction.
-- In: outbox ids, instruction ids, participant ids, idempotency keys, rail types, request hashes, payloads (JSON array), whether
-- a conflict is refused.  Out: entry_position (from 1), entry_kind (enqueued | duplicate | conflict), entry_outbox_id,
-- entry_sequence_id.  Uses the unique keys of payment_outbox_keys. A refused conflict raises SLX01.
SELECT entry_position, entry_kind, entry_outbox_id, entry_sequence_id
FROM payment_outbox_enqueue($1::UUID[], $2::TEXT[], $3::TEXT[], $4::TEXT[], $5::TEXT[], $6::TEXT[], $7::JSONB, $8::BOOLEAN)
