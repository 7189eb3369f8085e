-- How much is where, for gauges. Counts no further than a limit, so that a backlog of millions costs no more than the limit.
-- In: rail types, the limit.  Out: one row; pending_in_all is the whole table by the statistics, for when the limit was reached.
-- Uses ix_pending_by_rail, ix_lanes_lease, ix_lanes_held and ix_dead_by_state; payment_outbox_inflight is small by itself.
SELECT
  (SELECT sum(c.found) FROM unnest($1::TEXT[]) AS wanted (rail_type) CROSS JOIN LATERAL (
     SELECT count(*) AS found FROM (
       SELECT 1 FROM payment_outbox_pending p WHERE p.rail_type = wanted.rail_type LIMIT $2::INT) p) c) AS pending,
  pg_stat_get_live_tuples('payment_outbox_pending'::REGCLASS) AS pending_in_all,
  (SELECT coalesce(extract(EPOCH FROM now() - min(o.created_at)), 0) FROM unnest($1::TEXT[]) AS wanted (rail_type) CROSS JOIN LATERAL (
     SELECT p.created_at FROM payment_outbox_pending p WHERE p.rail_type = wanted.rail_type
     ORDER BY p.created_at LIMIT 1) o) AS oldest_pending_age_seconds,
  (SELECT count(*) FROM payment_outbox_inflight WHERE rail_type = ANY ($1::TEXT[])) AS in_flight,
  (SELECT count(*) FROM payment_outbox_inflight i WHERE i.rail_type = ANY ($1::TEXT[]) AND i.participant_id IN (
     SELECT participant_id FROM participant_outbox_lanes WHERE state = 'BUSY' AND lease_until < now())) AS stuck,
  (SELECT count(*) FROM (SELECT 1 FROM payment_outbox_dead
     WHERE rail_type = ANY ($1::TEXT[]) AND state = 'FAILED' LIMIT $2::INT) d) AS dead,
  (SELECT count(*) FROM (SELECT 1 FROM payment_outbox_dead
     WHERE rail_type = ANY ($1::TEXT[]) AND state = 'IN_DOUBT' LIMIT $2::INT) d) AS in_doubt,
  (SELECT count(*) FROM (SELECT 1 FROM participant_outbox_lanes
     WHERE rail_type = ANY ($1::TEXT[]) AND state = 'HELD' LIMIT $2::INT) h) AS held_participants
