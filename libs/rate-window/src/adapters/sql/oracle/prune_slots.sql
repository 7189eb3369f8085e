-- Remove slots of windows that ended long ago, and what is known of those windows; at most so many at once.
-- In: config_name, min_age_ms, max_slots, now_ms or null.  Out: slots, windows.
-- Uses ux_rate_limit_slot_number and the primary keys.
BEGIN
  rate_limit_upkeep.prune_slots(
    p_config_name => :config_name, p_min_age_ms => :min_age_ms, p_max_slots => :max_slots, p_now_ms => :now_ms,
    p_slots => :slots, p_windows => :windows);
END;
