-- Add outcomes to the counters of the current hour.
-- In: arrays of subscription_id, delivered, retried, failed; JSON array of arrays of counts by duration.
-- Uses webhook_subscription_hours_pkey; rows are taken in the order of ids, so that two writers never wait for each other.
INSERT INTO webhook_subscription_hours AS hours (subscription_id, hour, delivered, retried, failed, duration_buckets)
SELECT added.subscription_id, date_trunc('hour', now()), added.delivered, added.retried, added.failed,
       ARRAY(SELECT value::integer FROM jsonb_array_elements_text($5::jsonb -> (added.position - 1)::integer))
FROM unnest($1::text[], $2::integer[], $3::integer[], $4::integer[]) WITH ORDINALITY
  AS added (subscription_id, delivered, retried, failed, position)
ORDER BY added.subscription_id
ON CONFLICT (subscription_id, hour) DO UPDATE
SET delivered = hours.delivered + excluded.delivered,
    retried = hours.retried + excluded.retried,
    failed = hours.failed + excluded.failed,
    duration_buckets = ARRAY(
      SELECT old + new FROM unnest(hours.duration_buckets, excluded.duration_buckets) WITH ORDINALITY AS both_of (old, new, at)
      ORDER BY at)
