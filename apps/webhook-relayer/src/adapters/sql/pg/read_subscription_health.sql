-- How a subscription has been doing: what its last attempts said, and its hours since a time added up.
-- In: subscription_id, first hour.  Out: one row, always.
-- Uses webhook_subscription_health_pkey, webhook_subscription_hours_pkey; one row an hour.
SELECT health.failing_since, health.last_success_at, health.last_failure_at, health.last_status_code,
       health.last_error_code, health.last_error_detail,
       total.delivered, total.retried, total.failed, total.duration_buckets
FROM (
  SELECT COALESCE(sum(hours.delivered), 0)::integer AS delivered,
         COALESCE(sum(hours.retried), 0)::integer AS retried,
         COALESCE(sum(hours.failed), 0)::integer AS failed,
         ARRAY(
           SELECT sum(bucket.attempts)::integer
           FROM webhook_subscription_hours one
           CROSS JOIN LATERAL unnest(one.duration_buckets) WITH ORDINALITY AS bucket (attempts, position)
           WHERE one.subscription_id = $1 AND one.hour >= $2::timestamptz
           GROUP BY bucket.position
           ORDER BY bucket.position
         ) AS duration_buckets
  FROM webhook_subscription_hours hours
  WHERE hours.subscription_id = $1 AND hours.hour >= $2::timestamptz
) total
LEFT JOIN webhook_subscription_health health ON health.subscription_id = $1
