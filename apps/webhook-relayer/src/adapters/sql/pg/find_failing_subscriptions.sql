-- Find active subscriptions that have only failed for so long: from the first of the failures, or from when they were
-- made active if that is later, to the last one. An endpoint that failed once and was not called since is not among them.
-- In: time in ms, limit.  Out: subscription_id, failing_since.  Uses ix_webhook_subscription_health_failing.
SELECT health.subscription_id, health.failing_since
FROM webhook_subscription_health health
JOIN webhook_subscriptions subscription ON subscription.id = health.subscription_id AND subscription.status = 'active'
WHERE health.failing_since < now() - $1::double precision * interval '1 millisecond'
  AND health.last_failure_at - GREATEST(health.failing_since, subscription.status_since)
      >= $1::double precision * interval '1 millisecond'
ORDER BY health.failing_since
LIMIT $2
