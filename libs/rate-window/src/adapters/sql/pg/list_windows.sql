-- How full the windows are that start in a range and hold slots, by time.
-- In: config name, from (included), until (excluded), the most rows.  Out: window_ms, taken.  Uses the primary key.
select rate_limit_ms(window_start) as window_ms, slot_count as taken
  from rate_limit_window_counter
 where config_name = $1 and window_start >= $2 and window_start < $3
 order by window_start
 limit $4
