-- Lease so many due deliveries of each subscription to one sender, oldest first; those that another sender is taking are
-- passed over.
-- In: token, lease in ms, arrays of subscription_id and count.
-- Out: the deliveries with their events.  Uses ix_webhook_deliveries_pending, webhook_events_pkey.
WITH chosen AS MATERIALIZED (
  SELECT due.id, due.next_attempt_at
  FROM unnest($3::text[], $4::integer[]) AS wanted (subscription_id, count)
  JOIN webhook_subscriptions subscription ON subscription.id = wanted.subscription_id AND subscription.status = 'active'
  CROSS JOIN LATERAL (
    SELECT delivery.id, delivery.next_attempt_at
    FROM webhook_deliveries delivery
    WHERE delivery.subscription_id = wanted.subscription_id
      AND delivery.status = 'pending'
      AND delivery.next_attempt_at <= now()
    ORDER BY delivery.next_attempt_at, delivery.id
    LIMIT wanted.count
    FOR UPDATE SKIP LOCKED
  ) due
), claimed AS (
  UPDATE webhook_deliveries delivery
  SET status = 'in_flight',
      -- counted now, so that an event that kills its sender runs out of attempts too
      attempts = delivery.attempts + 1,
      claim_token = $1::uuid,
      lease_until = now() + $2::double precision * interval '1 millisecond'
  FROM chosen
  WHERE delivery.id = chosen.id
  RETURNING delivery.id, delivery.tenant_id, delivery.event_id, delivery.event_type, delivery.subscription_id,
            delivery.attempts, delivery.max_attempts, delivery.replay_count,
            extract(epoch FROM now() - chosen.next_attempt_at) * 1000 AS lag_ms
)
SELECT claimed.id, claimed.tenant_id, claimed.event_id, claimed.event_type, claimed.subscription_id, claimed.attempts,
       claimed.max_attempts, claimed.replay_count, claimed.lag_ms::double precision AS lag_ms, event.body, event.received_at
FROM claimed
JOIN webhook_events event ON event.tenant_id = claimed.tenant_id AND event.id = claimed.event_id
ORDER BY claimed.id
