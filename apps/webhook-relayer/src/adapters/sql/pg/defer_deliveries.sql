-- Give claimed deliveries back because a guard put them off; their attempts are given back too.
-- In: arrays of id, token, delay in ms, reason.  Out: id of those whose lease was still held.  Uses webhook_deliveries_pkey.
UPDATE webhook_deliveries delivery
SET status = 'pending',
    attempts = delivery.attempts - 1,
    deferrals = delivery.deferrals + 1,
    next_attempt_at = now() + deferred.delay_ms * interval '1 millisecond',
    claim_token = NULL,
    lease_until = NULL,
    last_error = deferred.reason
FROM unnest($1::bigint[], $2::uuid[], $3::double precision[], $4::text[]) AS deferred (id, claim_token, delay_ms, reason)
WHERE delivery.id = deferred.id
  AND delivery.claim_token = deferred.claim_token
  AND delivery.status = 'in_flight'
RETURNING delivery.id
