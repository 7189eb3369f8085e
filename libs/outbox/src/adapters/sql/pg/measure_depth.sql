-- How much is where, for gauges.
-- In: rail types.  Out: one row.  Reads the current-state tables only; run it every few seconds, not on every scrape.
SELECT
  (SELECT count(*) FROM payment_outbox_pending WHERE rail_type = ANY ($1::TEXT[])) AS pending,
  (SELECT coalesce(extract(EPOCH FROM now() - min(head_enqueued_at)), 0) FROM participant_outbox_lanes
    WHERE rail_type = ANY ($1::TEXT[]) AND state = 'READY') AS oldest_pending_age_seconds,
  (SELECT count(*) FROM payment_outbox_inflight WHERE rail_type = ANY ($1::TEXT[])) AS in_flight,
  (SELECT count(*) FROM payment_outbox_inflight WHERE rail_type = ANY ($1::TEXT[]) AND lease_until < now()) AS stuck,
  (SELECT count(*) FROM payment_outbox_dead WHERE rail_type = ANY ($1::TEXT[]) AND state = 'FAILED') AS dead,
  (SELECT count(*) FROM payment_outbox_dead WHERE rail_type = ANY ($1::TEXT[]) AND state = 'IN_DOUBT') AS in_doubt,
  (SELECT count(*) FROM participant_outbox_lanes WHERE rail_type = ANY ($1::TEXT[]) AND state = 'HELD') AS held_participants
