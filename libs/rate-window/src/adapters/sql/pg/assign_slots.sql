-- Give a group of events their slots in one transaction; waits for the config's other groups.
-- In: config name, config version, event ids (distinct), requested times in ms, draws (random spread) or null,
--   open time as a multirange of ms or null, the present in ms or null (the clock of the database).
-- Out: place (from 1, in the order of the ids; 0 is about the group), outcome, requested_ms, scheduled_ms, window_ms,
--   slot_no; in no order.  Uses the primary keys and ux_rate_limit_slot_number.
select place, outcome, requested_ms, scheduled_ms, window_ms, slot_no
  from rate_limit_assign($1, $2, $3::text[], $4::bigint[], $5::integer[], $6::int8multirange, $7::bigint)
