-- Requeue the instructions of participants whose lease ran out, at their old places, with their outcome marked unknown.
-- In: rail types, participants at most.  Out: outbox_id.  Uses ix_lanes_lease.
SELECT payment_outbox_reap AS outbox_id FROM payment_outbox_reap($1::TEXT[], $2::INT)
