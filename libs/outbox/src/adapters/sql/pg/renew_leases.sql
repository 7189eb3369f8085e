-- Extend leases that are still held, by the database's clock.
-- In: participant ids, their tokens, lease in seconds.  Out: participant_id, claim_token of every lease that was extended.
-- Uses the primary key of participant_outbox_lanes. Lanes are locked in the order in which a settle locks them.
WITH held AS MATERIALIZED (
  SELECT l.participant_id FROM participant_outbox_lanes l
  JOIN unnest($1::TEXT[], $2::UUID[]) AS lease (participant_id, token)
    ON l.participant_id = lease.participant_id AND l.claim_token = lease.token
  ORDER BY l.participant_id
  FOR UPDATE OF l
)
UPDATE participant_outbox_lanes l
SET lease_until = clock_timestamp() + $3::INT * INTERVAL '1 second'
FROM held h WHERE l.participant_id = h.participant_id
RETURNING l.participant_id, l.claim_token
