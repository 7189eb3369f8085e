-- Make a new version of a config the active one; waits for groups that are being placed.
-- In: config name, max per window, window size ms, max delay ms, spread, spread stride, calendar (JSON) or null, changed by,
--   the present in ms or null.
-- Out: outcome, active_version, last_window_end_ms.  Uses ux_rate_limit_config_active and the primary keys.
select outcome, active_version, last_window_end_ms
  from rate_limit_activate($1, $2, $3, $4, $5, $6, $7::jsonb, $8, $9::bigint)
