-- Dead letters in one state, in the order in which they were enqueued, page by page.
-- In: state, limit, outbox id after which to begin, and what narrows the choice or is NULL: instruction ids, rail types,
-- participant id, error code, died from, died before.  Out: dead letters.  Uses the primary key of payment_outbox_dead.
SELECT outbox_id, instruction_id, participant_id, sequence_id, rail_type, state, holds, attempt_count, error_code,
  error_message, created_at, died_at
FROM payment_outbox_dead
WHERE state = $1 AND ($3::UUID IS NULL OR outbox_id > $3)
  AND ($4::TEXT[] IS NULL OR instruction_id = ANY ($4))
  AND ($5::TEXT[] IS NULL OR rail_type = ANY ($5))
  AND ($6::TEXT IS NULL OR participant_id = $6)
  AND ($7::TEXT IS NULL OR error_code = $7)
  AND ($8::TIMESTAMPTZ IS NULL OR died_at >= $8)
  AND ($9::TIMESTAMPTZ IS NULL OR died_at < $9)
ORDER BY outbox_id LIMIT $2::INT
