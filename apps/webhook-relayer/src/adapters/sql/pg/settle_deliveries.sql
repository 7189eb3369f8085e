-- Record attempts, and move their deliveries on where the sender still holds the lease.
-- In: arrays, one entry an attempt, of delivery_id, token, tenant_id, event_id, subscription_id, attempt_no, replay_no, status,
--     delay until the next attempt in ms, attempts to give back, outcome, status_code, error_code, error_detail,
--     response_body, duration_ms.
-- Out: delivery_id, claim_token, applied; no row for an outcome that is on record.  Uses webhook_deliveries_pkey.
WITH attempted AS MATERIALIZED (
  SELECT * FROM unnest($1::bigint[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::integer[], $7::integer[],
                       $8::text[], $9::double precision[], $10::integer[], $11::text[], $12::integer[], $13::text[],
                       $14::text[], $15::text[], $16::integer[])
    AS attempted (delivery_id, claim_token, tenant_id, event_id, subscription_id, attempt_no, replay_no,
                  status, delay_ms, attempts_back, outcome, status_code, error_code,
                  error_detail, response_body, duration_ms)
), settled AS (
  UPDATE webhook_deliveries delivery
  SET status = attempted.status,
      attempts = delivery.attempts - attempted.attempts_back,
      next_attempt_at = now() + attempted.delay_ms * interval '1 millisecond',
      claim_token = NULL,
      lease_until = NULL,
      last_error = attempted.error_code,
      last_status_code = attempted.status_code,
      last_attempt_at = now(),
      finished_at = CASE WHEN attempted.status = 'pending' THEN NULL ELSE now() END
  FROM attempted
  WHERE delivery.id = attempted.delivery_id
    AND delivery.claim_token = attempted.claim_token
    AND delivery.status = 'in_flight'
  RETURNING delivery.id
)
INSERT INTO webhook_delivery_attempts
  (delivery_id, tenant_id, event_id, subscription_id, attempt_no, replay_no, claim_token, outcome, applied,
   status_code, error_code, error_detail, response_body, duration_ms, started_at)
SELECT attempted.delivery_id, attempted.tenant_id, attempted.event_id, attempted.subscription_id, attempted.attempt_no,
       attempted.replay_no, attempted.claim_token, attempted.outcome, settled.id IS NOT NULL,
       attempted.status_code, attempted.error_code, attempted.error_detail, attempted.response_body, attempted.duration_ms,
       now() - attempted.duration_ms * interval '1 millisecond'
FROM attempted
LEFT JOIN settled ON settled.id = attempted.delivery_id
ON CONFLICT (delivery_id, claim_token, outcome) DO NOTHING
RETURNING delivery_id, claim_token, applied
