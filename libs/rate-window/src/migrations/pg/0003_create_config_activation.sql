-- safe: online

-- Makes a new version of a config the active one. Waits for groups that are being placed under the version before;
-- groups that come later find that their version is no longer the active one.
-- Out: 'activated' or 'unchanged' with the active version, or 'window_size_in_use' with the end of the last window that
-- holds slots and still lies ahead.
create function rate_limit_activate(
  p_config_name text, p_max_per_window integer, p_window_size_ms bigint, p_max_delay_ms bigint,
  p_spread_stride integer, p_changed_by text,
  out outcome text, out active_version integer, out last_window_end_ms bigint)
language plpgsql
as $$
declare
  v_old rate_limit_config;
begin
  -- The first version of a name has no row yet that could be locked.
  perform pg_advisory_xact_lock(hashtextextended('rate_limit_config:' || p_config_name, 0));
  select * into v_old
    from rate_limit_config c
   where c.config_name = p_config_name and c.is_active
     for no key update;

  if v_old.max_per_window = p_max_per_window
     and v_old.window_size_ms = p_window_size_ms
     and v_old.max_delay_ms = p_max_delay_ms then
    outcome := 'unchanged';
    active_version := v_old.version;
    return;
  end if;

  if v_old.window_size_ms <> p_window_size_ms then
    select rate_limit_ms(max(c.window_start)) + v_old.window_size_ms into last_window_end_ms
      from rate_limit_window_counter c
     where c.config_name = p_config_name
       and c.slot_count > 0
       and c.window_start > clock_timestamp() - make_interval(secs => v_old.window_size_ms / 1000.0);
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
    config_name, version, max_per_window, window_size_ms, max_delay_ms, spread_stride, spread_phase, is_active, created_by)
  values (
    p_config_name, active_version, p_max_per_window, p_window_size_ms, p_max_delay_ms, p_spread_stride,
    (active_version - 1) * 618 % 1000, true, p_changed_by);

  -- Which windows are full depends on the capacity: a raised one reopens windows, a lowered one closes some.
  delete from rate_limit_full_span f where f.config_name = p_config_name;
  if v_old.window_size_ms = p_window_size_ms then
    insert into rate_limit_full_span (config_name, span_start, span_end)
    select p_config_name, min(w.window_start), rate_limit_instant(max(w.ms) + p_window_size_ms)
      from (select c.window_start, rate_limit_ms(c.window_start) as ms,
                   rate_limit_ms(c.window_start) - p_window_size_ms * row_number() over (order by c.window_start) as run
              from rate_limit_window_counter c
             where c.config_name = p_config_name and c.slot_count >= p_max_per_window) w
     group by w.run;
  end if;

  -- The numbers that are free now lie at other offsets than those they were passed over for.
  update rate_limit_window_counter c
     set free_below_ms = p_window_size_ms
   where c.config_name = p_config_name and c.slot_count < c.next_slot_no;
end
$$;
