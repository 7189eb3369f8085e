-- Give a group of events their slots in one transaction; waits for the config's other groups.
-- In: config name, config version, event ids (distinct), requested times in ms.
-- Out: event_id, outcome, requested_ms, scheduled_ms, window_ms, slot_no; in no order.  Uses the primary keys.
select event_id, outcome, requested_ms, scheduled_ms, window_ms, slot_no
  from rate_limit_assign($1, $2, $3::text[], $4::bigint[])
