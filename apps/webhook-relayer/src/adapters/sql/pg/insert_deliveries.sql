-- Make one delivery for each new event and subscription that wants its type. As many as there is room for, taken in turns
-- from the subscriptions, are leased to the caller at once; the others wait.
-- In: arrays of tenant_id, event_id, event_type, pattern (one row for each pattern that the type matches); attempts of the
--     default and of the long profile; token, lease in ms, room, most for one subscription, ids that wait in any case.
-- Out: the deliveries.  Uses ix_webhook_subscriptions_match and webhook_deliveries_tenant_id_event_id_subscription_id_key.
WITH wanted AS MATERIALIZED (
  SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) AS wanted (tenant_id, event_id, event_type, pattern)
), matched AS MATERIALIZED (
  -- Many events share few patterns, so each pattern is looked up once.
  SELECT asked.tenant_id, asked.pattern, subscription.id, subscription.retry_profile,
         subscription.status = 'active' AND subscription.id <> ALL ($11::text[]) AS is_ready
  FROM (SELECT DISTINCT tenant_id, pattern FROM wanted) asked
  JOIN webhook_subscriptions subscription
    ON subscription.event_types @> ARRAY[asked.pattern]
   AND subscription.tenant_id = asked.tenant_id
   AND subscription.status IN ('active', 'paused')
), fanned AS (
  SELECT DISTINCT wanted.tenant_id, wanted.event_id, wanted.event_type, matched.id AS subscription_id,
         matched.retry_profile, matched.is_ready
  FROM wanted
  JOIN matched ON matched.tenant_id = wanted.tenant_id AND matched.pattern = wanted.pattern
), in_turn AS (
  SELECT fanned.*, row_number() OVER (PARTITION BY subscription_id ORDER BY event_id) AS turn
  FROM fanned
), placed AS (
  SELECT in_turn.*,
         is_ready AND turn <= $10::integer AND
           row_number() OVER (ORDER BY is_ready AND turn <= $10::integer DESC, turn, event_id) <= $9::integer AS is_leased
  FROM in_turn
)
INSERT INTO webhook_deliveries
  (tenant_id, event_id, event_type, subscription_id, max_attempts, status, attempts, claim_token, lease_until)
SELECT tenant_id, event_id, event_type, subscription_id,
       CASE retry_profile WHEN 'long' THEN $6::integer ELSE $5::integer END,
       CASE WHEN is_leased THEN 'in_flight' ELSE 'pending' END,
       CASE WHEN is_leased THEN 1 ELSE 0 END,
       CASE WHEN is_leased THEN $7::uuid END,
       CASE WHEN is_leased THEN now() + $8::double precision * interval '1 millisecond' END
FROM placed
ON CONFLICT (tenant_id, event_id, subscription_id) DO NOTHING
RETURNING id, tenant_id, event_id, event_type, subscription_id, attempts, max_attempts, replay_count, status,
          created_at
