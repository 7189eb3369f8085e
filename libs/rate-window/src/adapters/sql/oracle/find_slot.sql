-- The slot of one event, if it has one.
-- In: config_name, event_id.  Out: requested_ms, scheduled_ms, window_ms, slot_no.  Uses the primary key.
SELECT requested_ms, scheduled_ms, window_ms, slot_no
  FROM rate_limit_slot
 WHERE config_name = :config_name AND event_id = :event_id
