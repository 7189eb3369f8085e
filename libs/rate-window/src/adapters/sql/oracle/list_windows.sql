-- How full the windows are that start in a range and hold slots, by time.
-- In: config_name, from_ms (included), until_ms (excluded), max_rows.  Out: window_ms, taken.  Uses the primary key.
SELECT window_ms, slot_count AS taken
  FROM rate_limit_window_counter
 WHERE config_name = :config_name AND window_ms >= :from_ms AND window_ms < :until_ms
 ORDER BY window_ms
 FETCH FIRST :max_rows ROWS ONLY
