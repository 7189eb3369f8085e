-- The slot of one event, if it has one.
-- In: config name, event id.  Out: event_id, requested_time, scheduled_time, window_start, slot_no.  Uses the primary key.
select event_id, requested_time, scheduled_time, window_start, slot_no
  from rate_limit_slot
 where config_name = $1 and event_id = $2
