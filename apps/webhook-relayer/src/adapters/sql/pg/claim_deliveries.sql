-- Lease due deliveries to one sender, fairly: each subscription gets its first turn before any gets its second, and none
-- gets more than its limit in flight, so that a slow or dead endpoint with a long queue does not hold up the others.
-- In: token, limit, limit per subscription, lease in ms.
-- Out: what is needed to send.  Uses ix_webhook_deliveries_pending, ix_webhook_deliveries_in_flight.
WITH candidate AS MATERIALIZED (
  SELECT due.id
  FROM webhook_subscriptions subscription
  CROSS JOIN LATERAL (
    SELECT head.id, head.next_attempt_at, row_number() OVER (ORDER BY head.next_attempt_at, head.id) AS turn
    FROM (
      SELECT pending.id, pending.next_attempt_at
      FROM webhook_deliveries pending
      WHERE pending.subscription_id = subscription.id
        AND pending.status = 'pending'
        AND pending.next_attempt_at <= now()
      ORDER BY pending.next_attempt_at, pending.id
      LIMIT GREATEST(0, $3::bigint - (
        SELECT count(*) FROM webhook_deliveries flying
        WHERE flying.subscription_id = subscription.id AND flying.status = 'in_flight'))
    ) head
  ) due
  WHERE subscription.status = 'active'
  ORDER BY due.turn, due.next_attempt_at, due.id
  LIMIT $2
), locked AS MATERIALIZED (
  -- The status is looked at again: between choosing and locking, another sender may have taken the row.
  SELECT delivery.id
  FROM webhook_deliveries delivery
  JOIN candidate ON candidate.id = delivery.id
  WHERE delivery.status = 'pending'
  FOR UPDATE OF delivery SKIP LOCKED
), claimed AS (
  UPDATE webhook_deliveries delivery
  SET status = 'in_flight',
      attempts = delivery.attempts + 1,
      claim_token = $1,
      lease_until = now() + $4::double precision * interval '1 millisecond'
  FROM locked
  WHERE delivery.id = locked.id
  RETURNING delivery.id, delivery.tenant_id, delivery.event_id, delivery.subscription_id,
            delivery.attempts, delivery.max_attempts
)
SELECT claimed.id, claimed.event_id, claimed.subscription_id, claimed.attempts, claimed.max_attempts,
       subscription.url, subscription.sealed_secret, event.body, event.type, event.received_at
FROM claimed
JOIN webhook_events event ON event.tenant_id = claimed.tenant_id AND event.id = claimed.event_id
JOIN webhook_subscriptions subscription ON subscription.id = claimed.subscription_id
