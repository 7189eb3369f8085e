-- Cancel what still waits for subscriptions that have ended. It is also what cleans up after a subscription that ended
-- while a delivery was being made for it or was in flight.
-- In: limit.  Out: id of each.  Uses ix_webhook_deliveries_pending.
WITH orphan AS MATERIALIZED (
  SELECT delivery.id, subscription.status_reason
  FROM webhook_subscriptions subscription
  JOIN webhook_deliveries delivery ON delivery.subscription_id = subscription.id
  WHERE subscription.status IN ('disabled', 'deleted') AND delivery.status = 'pending'
  LIMIT $1
  FOR UPDATE OF delivery SKIP LOCKED
), cancelled AS (
  UPDATE webhook_deliveries delivery
  SET status = 'cancelled', finished_at = now(), last_error = 'SUBSCRIPTION_ENDED'
  FROM orphan
  WHERE delivery.id = orphan.id
  RETURNING delivery.id, delivery.tenant_id, delivery.event_id, delivery.subscription_id, delivery.attempts, delivery.replay_count,
            orphan.status_reason
)
INSERT INTO webhook_delivery_attempts
  (delivery_id, tenant_id, event_id, subscription_id, attempt_no, replay_no, outcome, applied, error_code, error_detail)
SELECT id, tenant_id, event_id, subscription_id, attempts, replay_count, 'cancelled', true, 'SUBSCRIPTION_ENDED', status_reason
FROM cancelled
RETURNING delivery_id
