-- The active version of one config.
-- In: config name.  Out: config_name, version, max_per_window, window_size_ms, max_delay_ms, spread, calendar.
-- Uses ux_rate_limit_config_active.
select config_name, version, max_per_window, window_size_ms, max_delay_ms, spread, calendar
  from rate_limit_config
 where config_name = $1 and is_active
