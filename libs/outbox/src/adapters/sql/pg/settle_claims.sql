-- Write outcomes on condition of the claim token and move the participants' lanes on.
-- In: results (JSON array).  Out: settled_outbox_id, settled_token, settled_kind (recorded | late).
-- Uses the primary key of payment_outbox_inflight; for late results ix_attempts_by_outbox.
SELECT settled_outbox_id, settled_token, settled_kind FROM payment_outbox_settle($1::JSONB)
