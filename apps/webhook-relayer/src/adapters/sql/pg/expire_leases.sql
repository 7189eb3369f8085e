-- Take deliveries back from senders that did not report in time: they died, or the outcome could not be written.
-- In: limit.  Out: status each delivery has now.  Uses ix_webhook_deliveries_lease.
WITH expired AS MATERIALIZED (
  SELECT id, claim_token
  FROM webhook_deliveries
  WHERE status = 'in_flight' AND lease_until < now()
  ORDER BY lease_until
  LIMIT $1
  FOR UPDATE SKIP LOCKED
), released AS (
  UPDATE webhook_deliveries delivery
  SET status = CASE WHEN delivery.attempts >= delivery.max_attempts THEN 'failed' ELSE 'pending' END,
      finished_at = CASE WHEN delivery.attempts >= delivery.max_attempts THEN now() END,
      next_attempt_at = now(),
      claim_token = NULL,
      lease_until = NULL,
      last_error = 'LEASE_EXPIRED'
  FROM expired
  WHERE delivery.id = expired.id
  RETURNING delivery.*, expired.claim_token AS lost_token
), recorded AS (
  INSERT INTO webhook_delivery_attempts
    (delivery_id, tenant_id, event_id, subscription_id, attempt_no, replay_no, claim_token, outcome, applied, error_code)
  SELECT id, tenant_id, event_id, subscription_id, attempts, replay_count, lost_token, 'lease_expired', true, 'LEASE_EXPIRED'
  FROM released
)
SELECT status FROM released
