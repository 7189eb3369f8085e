-- Make a new version of a config the active one; waits for groups that are being placed.
-- In: config_name, max_per_window, window_size_ms, max_delay_ms, spread, spread_stride, calendar (JSON) or null, changed_by,
--   now_ms or null.
-- Out: outcome, active_version, last_window_end_ms.  Uses ux_rate_limit_config_active and the primary keys.
BEGIN
  rate_limit_upkeep.activate_config(
    p_config_name => :config_name, p_max_per_window => :max_per_window, p_window_size_ms => :window_size_ms,
    p_max_delay_ms => :max_delay_ms, p_spread => :spread, p_spread_stride => :spread_stride, p_calendar => :calendar,
    p_changed_by => :changed_by, p_now_ms => :now_ms, p_outcome => :outcome, p_active_version => :active_version,
    p_last_window_end => :last_window_end_ms);
END;
