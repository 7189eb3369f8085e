-- The least that storing the same rows can cost: the table of pending instructions with its indexes, and nothing else.
-- In: outbox ids, instruction ids, participant ids, sequence ids, idempotency keys, rail types, payloads (JSON array).
INSERT INTO payment_outbox_pending (outbox_id, instruction_id, participant_id, sequence_id, idempotency_key, rail_type, payload)
SELECT * FROM ROWS FROM (unnest($1::UUID[]), unnest($2::TEXT[]), unnest($3::TEXT[]), unnest($4::BIGINT[]), unnest($5::TEXT[]),
  unnest($6::TEXT[]), jsonb_array_elements($7::JSONB)) AS e
