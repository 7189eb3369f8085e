-- The active version of every config, by name.
-- In: nothing.  Out: config_name, version, max_per_window, window_size_ms, max_delay_ms, spread, calendar.
-- Uses ux_rate_limit_config_active.
SELECT config_name, version, max_per_window, window_size_ms, max_delay_ms, spread, calendar
  FROM rate_limit_config
 WHERE active_name IS NOT NULL
 ORDER BY config_name
