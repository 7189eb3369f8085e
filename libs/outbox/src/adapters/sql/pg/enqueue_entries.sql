-- Enqueue what is new of a batch, inside the caller's transaction.
-- In: entries (JSON array).  Out: entry_position, entry_kind (enqueued | duplicate), entry_outbox_id, entry_sequence_id.
-- Uses the unique keys of payment_outbox_keys. Raises SLX01 when a key is known with another content.
SELECT entry_position, entry_kind, entry_outbox_id, entry_sequence_id FROM payment_outbox_enqueue($1::JSONB)
