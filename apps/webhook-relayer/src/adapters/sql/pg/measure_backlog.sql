-- How long the delivery that is longest overdue has been waiting, of those whose subscription is active; zero when none is.
-- In: nothing.  Out: overdue_seconds.  Uses ix_webhook_deliveries_pending, one entry a subscription.
WITH RECURSIVE waiting AS (
  (SELECT subscription_id, next_attempt_at
   FROM webhook_deliveries
   WHERE status = 'pending'
   ORDER BY subscription_id, next_attempt_at
   LIMIT 1)
  UNION ALL
  SELECT following.subscription_id, following.next_attempt_at
  FROM waiting
  CROSS JOIN LATERAL (
    SELECT delivery.subscription_id, delivery.next_attempt_at
    FROM webhook_deliveries delivery
    WHERE delivery.status = 'pending' AND delivery.subscription_id > waiting.subscription_id
    ORDER BY delivery.subscription_id, delivery.next_attempt_at
    LIMIT 1
  ) following
)
SELECT COALESCE(GREATEST(0, extract(epoch FROM now() - min(waiting.next_attempt_at))), 0)::double precision
         AS overdue_seconds
FROM waiting
JOIN webhook_subscriptions subscription ON subscription.id = waiting.subscription_id AND subscription.status = 'active'
