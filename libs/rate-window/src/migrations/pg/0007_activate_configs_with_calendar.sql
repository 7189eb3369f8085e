-- breaking: stop slot-assigner first

-- Makes a new version of a config the active one. Waits for groups that are being placed under the version before;
-- groups that come later find that their version is no longer the active one.
-- Out: 'activated' or 'unchanged' with the active version, or 'window_size_in_use' with the end of the last window that
-- holds slots and still lies ahead.
create function rate_limit_activate(
  p_config_name text, p_max_per_window integer, p_window_size_ms bigint, p_max_delay_ms bigint, p_spread text,
  p_spread_stride integer, p_calendar jsonb, p_changed_by text, p_now_ms bigint,
  out outcome text, out active_version integer, out last_window_end_ms bigint)
language plpgsql
set enable_seqscan = off
as $$
declare
  v_old rate_limit_config;
  v_now bigint;
begin
  -- The first version of a name has no row yet that could be locked.
  perform pg_advisory_xact_lock(hashtextextended('rate_limit_config:' || p_config_name, 0));
  select * into v_old
    from rate_limit_config c
   where c.config_name = p_config_name and c.is_active
     for no key update;
  v_now := coalesce(p_now_ms, rate_limit_ms(clock_timestamp()));

  if v_old.max_per_window = p_max_per_window
     and v_old.window_size_ms = p_window_size_ms
     and v_old.max_delay_ms = p_max_delay_ms
     and v_old.spread = p_spread
     and v_old.calendar is not distinct from p_calendar then
    outcome := 'unchanged';
    active_version := v_old.version;
    return;
  end if;

  if v_old.window_size_ms <> p_window_size_ms then
    select rate_limit_ms(max(w.window_start)) + v_old.window_size_ms into last_window_end_ms
      from rate_limit_window_counter w
     where w.config_name = p_config_name
       and w.window_start > rate_limit_instant(v_now - v_old.window_size_ms);
    if last_window_end_ms is not null then
      outcome := 'window_size_in_use';
      active_version := v_old.version;
      return;
    end if;
  end if;

  outcome := 'activated';
  active_version := 1 + coalesce(
    (select max(c.version) from rate_limit_config c where c.config_name = p_config_name), 0);
  update rate_limit_config c
     set is_active = false, deactivated_at = now()
   where c.config_name = p_config_name and c.is_active;
  insert into rate_limit_config (
    config_name, version, max_per_window, window_size_ms, max_delay_ms, spread, spread_stride, spread_phase, calendar,
    is_active, created_by)
  values (
    p_config_name, active_version, p_max_per_window, p_window_size_ms, p_max_delay_ms, p_spread, p_spread_stride,
    (active_version - 1) * 618 % 1000, p_calendar, true, p_changed_by);

  -- Which windows have room depends on the capacity and the calendar: a raised capacity reopens windows, a lowered one
  -- closes some. Windows that only a calendar makes full are found when somebody comes by.
  delete from rate_limit_full_span f where f.config_name = p_config_name;
  if v_old.window_size_ms = p_window_size_ms then
    insert into rate_limit_full_span (config_name, span_start, span_end)
    select p_config_name, min(f.window_start), rate_limit_instant(max(f.ms) + p_window_size_ms)
      from (select w.window_start, rate_limit_ms(w.window_start) as ms,
                   rate_limit_ms(w.window_start) - p_window_size_ms * row_number() over (order by w.window_start) as run
              from rate_limit_window_counter w
             where w.config_name = p_config_name
               and w.window_start > rate_limit_instant(v_now - p_window_size_ms)
               and w.slot_count >= p_max_per_window) f
     group by f.run;
  end if;

  -- The numbers that are free now lie at other offsets than those they were passed over for.
  update rate_limit_window_counter w
     set free_below_ms = p_window_size_ms
   where w.config_name = p_config_name
     and w.window_start > rate_limit_instant(v_now - p_window_size_ms)
     and w.slot_count < w.next_slot_no;
end
$$;
