-- Give a claimed delivery back because a guard put it off; the attempt is given back too.
-- In: id, token, delay in ms, reason.  Out: id, or no row when the lease is lost.  Uses webhook_deliveries_pkey.
UPDATE webhook_deliveries
SET status = 'pending',
    attempts = attempts - 1,
    deferrals = deferrals + 1,
    next_attempt_at = now() + $3::double precision * interval '1 millisecond',
    claim_token = NULL,
    lease_until = NULL,
    last_error = $4
WHERE id = $1 AND claim_token = $2 AND status = 'in_flight'
RETURNING id
