-- Give the slot of an event back; waits for the config's groups.
-- In: config name, event id, the present in ms or null.
-- Out: outcome ('released', 'past' or 'not_found'), requested_ms, scheduled_ms, window_ms, slot_no.  Uses the primary keys.
select outcome, requested_ms, scheduled_ms, window_ms, slot_no
  from rate_limit_release($1, $2, $3::bigint)
