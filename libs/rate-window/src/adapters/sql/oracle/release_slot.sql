-- Give the slot of an event back; waits for the config's groups.
-- In: config_name, event_id, now_ms or null.
-- Out: outcome ('released', 'past' or 'not_found'), requested_ms, scheduled_ms, window_ms, slot_no.  Uses the primary keys.
BEGIN
  rate_limit_upkeep.release_slot(
    p_config_name => :config_name, p_event_id => :event_id, p_now_ms => :now_ms, p_outcome => :outcome,
    p_requested => :requested_ms, p_scheduled => :scheduled_ms, p_window => :window_ms, p_number => :slot_no);
END;
