-- Begin finished deliveries anew: the same event to the same subscription, with all attempts, counted as a replay.
-- In: tenant_id, ids, statuses to begin from, actor, reason.
-- Out: id of each that was begun anew.  Uses webhook_deliveries_pkey.
WITH chosen AS MATERIALIZED (
  SELECT delivery.id
  FROM webhook_deliveries delivery
  JOIN webhook_subscriptions subscription
    ON subscription.id = delivery.subscription_id AND subscription.status IN ('active', 'paused')
  WHERE delivery.tenant_id = $1 AND delivery.id = ANY ($2::bigint[]) AND delivery.status = ANY ($3::text[])
  -- In one order, so that two callers who replay the same never wait for each other in a circle.
  ORDER BY delivery.id
  FOR UPDATE OF delivery
), replayed AS (
  UPDATE webhook_deliveries delivery
  SET status = 'pending', attempts = 0, deferrals = 0, next_attempt_at = now(), finished_at = NULL, last_error = NULL,
      replay_count = delivery.replay_count + 1, replayed_at = now()
  FROM chosen
  WHERE delivery.id = chosen.id
  RETURNING delivery.id, delivery.tenant_id, delivery.subscription_id, delivery.event_id, delivery.replay_count
), noted AS (
  INSERT INTO webhook_operational_events (tenant_id, subscription_id, type, actor, detail)
  SELECT tenant_id, subscription_id, 'delivery.replayed', $4,
         jsonb_build_object('deliveryId', id::text, 'eventId', event_id, 'replay', replay_count, 'reason', $5::text)
  FROM replayed
)
SELECT id FROM replayed ORDER BY id
