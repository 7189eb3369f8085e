-- Redrive, discard or resolve dead letters, with an attempt row that says who and why.
-- In: outbox ids, action (the state of the attempt row), actor, reason, reference or NULL.  Out: instruction_id of those that
-- were in the state that the action starts from.  Uses the primary key of payment_outbox_dead.
SELECT payment_outbox_operate AS instruction_id
FROM payment_outbox_operate($1::UUID[], $2::TEXT, $3::TEXT, $4::TEXT, $5::TEXT)
