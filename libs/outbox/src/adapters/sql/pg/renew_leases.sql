-- Extend leases that are still held, by the database's clock.
-- In: outbox ids, their tokens, lease in seconds.  Out: outbox_id, claim_token of every lease that was extended.
-- Uses the primary key of payment_outbox_inflight. A row that is locked is being settled or reaped at this moment and
-- needs no longer lease; waiting for it could deadlock with a settle of several rows.
WITH held AS MATERIALIZED (
  SELECT i.outbox_id
  FROM payment_outbox_inflight i
  JOIN unnest($1::UUID[], $2::UUID[]) AS lease (outbox_id, token)
    ON i.outbox_id = lease.outbox_id AND i.claim_token = lease.token
  FOR UPDATE OF i SKIP LOCKED
)
UPDATE payment_outbox_inflight i
SET lease_until = clock_timestamp() + $3::INT * INTERVAL '1 second'
FROM held WHERE i.outbox_id = held.outbox_id
RETURNING i.outbox_id, i.claim_token
