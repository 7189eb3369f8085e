-- The active version of one config.
-- In: config_name.  Out: config_name, version, max_per_window, window_size_ms, max_delay_ms, spread, calendar.
-- Uses ux_rate_limit_config_active.
SELECT config_name, version, max_per_window, window_size_ms, max_delay_ms, spread, calendar
  FROM rate_limit_config
 WHERE active_name = :config_name
