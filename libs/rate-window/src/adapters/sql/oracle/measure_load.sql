-- How full the present window is, and how far ahead slots lie.
-- In: config_name, window_size_ms, at_ms (the present) or null.
-- Out: now_ms, current_ms (start of the present window), taken, furthest_ms (start of the last window in use, or null).
-- Uses the primary key, from both ends.
BEGIN
  rate_limit_upkeep.measure_load(
    p_config_name => :config_name, p_window_size_ms => :window_size_ms, p_now_ms => :at_ms, p_now => :now_ms,
    p_current => :current_ms, p_taken => :taken, p_furthest => :furthest_ms);
END;
