-- Record an attempt, and move its delivery on if the sender still holds the lease.
-- In: id, token, status, delay until the next attempt in ms, attempts to give back, outcome, status_code, error_code,
--     error_detail, response_body, duration_ms, attempt_no.
-- Out: applied; no row when this very outcome is on record.  Uses webhook_deliveries_pkey.
WITH settled AS (
  UPDATE webhook_deliveries
  SET status = $3::text,
      attempts = attempts - $5::integer,
      next_attempt_at = now() + $4::double precision * interval '1 millisecond',
      claim_token = NULL,
      lease_until = NULL,
      last_error = $8::text,
      finished_at = CASE WHEN $3::text = 'pending' THEN NULL ELSE now() END
  WHERE id = $1 AND claim_token = $2::uuid AND status = 'in_flight'
  RETURNING id
)
INSERT INTO webhook_delivery_attempts
  (delivery_id, tenant_id, event_id, subscription_id, attempt_no, claim_token, outcome, applied,
   status_code, error_code, error_detail, response_body, duration_ms)
SELECT delivery.id, delivery.tenant_id, delivery.event_id, delivery.subscription_id, $12::integer, $2::uuid, $6::text,
       EXISTS (SELECT FROM settled), $7::integer, $8::text, $9::text, $10::text, $11::integer
FROM webhook_deliveries delivery
WHERE delivery.id = $1
ON CONFLICT (delivery_id, claim_token, outcome) DO NOTHING
RETURNING applied
