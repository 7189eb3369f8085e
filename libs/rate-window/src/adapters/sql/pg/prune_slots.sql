-- Remove slots of windows that ended long ago, and what is known of those windows; at most so many at once.
-- In: config name, least age in ms, the most slots, the present in ms or null.  Out: slots, windows, has_more.
-- Uses ux_rate_limit_slot_number and the primary keys.
select slots, windows, has_more
  from rate_limit_prune($1, $2::bigint, $3, $4::bigint)
