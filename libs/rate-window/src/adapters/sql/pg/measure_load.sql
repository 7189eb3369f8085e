-- How full the present window is, and how far ahead slots lie.
-- In: config name, window size ms, the present in ms or null.
-- Out: now_ms, current_ms (start of the present window), taken, furthest_ms (start of the last window in use, or null).
-- Uses the primary key, from both ends.
with present as (
  select t.now_ms, t.now_ms - t.now_ms % $2::bigint as current_ms
    from (select coalesce($3::bigint, rate_limit_ms(clock_timestamp())) as now_ms) t)
select p.now_ms,
       p.current_ms,
       coalesce((select w.slot_count
                   from rate_limit_window_counter w
                  where w.config_name = $1 and w.window_start = rate_limit_instant(p.current_ms)), 0) as taken,
       (select rate_limit_ms(max(w.window_start))
          from rate_limit_window_counter w
         where w.config_name = $1 and w.window_start >= rate_limit_instant(p.current_ms)) as furthest_ms
  from present p
