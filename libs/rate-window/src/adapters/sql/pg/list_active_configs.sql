-- The active version of every config, by name.
-- In: nothing.  Out: config_name, version, max_per_window, window_size_ms, max_delay_ms, spread, calendar.
-- Uses ux_rate_limit_config_active.
select config_name, version, max_per_window, window_size_ms, max_delay_ms, spread, calendar
  from rate_limit_config
 where is_active
 order by config_name
