-- The slot of one event, if it has one.
-- In: config name, event id.  Out: requested_ms, scheduled_ms, window_ms, slot_no.  Uses the primary key.
select rate_limit_ms(requested_time) as requested_ms,
       rate_limit_ms(scheduled_time) as scheduled_ms,
       rate_limit_ms(window_start) as window_ms,
       slot_no
  from rate_limit_slot
 where config_name = $1 and event_id = $2
