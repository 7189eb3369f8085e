-- Find subscriptions for which something waits, in the order of their ids, and how much of it is due. The walk goes from one
-- subscription to the next in the index, so it costs the same however many deliveries each of them has waiting.
-- In: id to begin behind (or empty), most subscriptions, most to count for each, ids to leave out.
-- Out: one row a subscription with something waiting, due or not.  Uses ix_webhook_deliveries_pending.
WITH RECURSIVE waiting AS (
  (SELECT subscription_id, 1 AS position
   FROM webhook_deliveries
   WHERE status = 'pending' AND subscription_id > $1::text
   ORDER BY subscription_id
   LIMIT 1)
  UNION ALL
  SELECT following.subscription_id, waiting.position + 1
  FROM waiting
  CROSS JOIN LATERAL (
    SELECT delivery.subscription_id
    FROM webhook_deliveries delivery
    WHERE delivery.status = 'pending' AND delivery.subscription_id > waiting.subscription_id
    ORDER BY delivery.subscription_id
    LIMIT 1
  ) following
  WHERE waiting.position < $2::integer
)
SELECT waiting.subscription_id, subscription.max_concurrency, subscription.rate_limit_per_second,
       COALESCE(due.count, 0)::integer AS due
FROM waiting
LEFT JOIN webhook_subscriptions subscription
  ON subscription.id = waiting.subscription_id
 AND subscription.status = 'active'
 AND subscription.id <> ALL ($4::text[])
LEFT JOIN LATERAL (
  SELECT count(*) FROM (
    SELECT FROM webhook_deliveries head
    WHERE head.subscription_id = subscription.id AND head.status = 'pending' AND head.next_attempt_at <= now()
    LIMIT $3::integer
  ) AS counted
) due ON true
ORDER BY waiting.position
