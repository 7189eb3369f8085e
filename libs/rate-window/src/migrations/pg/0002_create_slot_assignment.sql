-- safe: online
-- Assignment of a whole group of events in one call. Times are milliseconds since the epoch inside these functions.

create function rate_limit_instant(p_ms bigint) returns timestamptz
language sql immutable parallel safe
return to_timestamp(p_ms::double precision / 1000);

create function rate_limit_ms(p_instant timestamptz) returns bigint
language sql stable parallel safe
return (extract(epoch from p_instant) * 1000)::bigint;

-- Where slot p_slot_no lies inside its window: a golden-ratio walk over max_per_window equal cells.
create function rate_limit_offset(p_config rate_limit_config, p_slot_no integer) returns bigint
language sql immutable parallel safe
return (
  ((p_slot_no::bigint * (p_config).spread_stride) % (p_config).max_per_window * 1000 + (p_config).spread_phase)
  * (p_config).window_size_ms
) / ((p_config).max_per_window::bigint * 1000);

-- The first window at or after p_window_ms that no span of full windows covers.
create function rate_limit_first_open(p_config_name text, p_window_ms bigint) returns bigint
language plpgsql stable
set enable_seqscan = off
as $$
declare
  v_window timestamptz := rate_limit_instant(p_window_ms);
  v_end timestamptz;
begin
  select f.span_end into v_end
    from rate_limit_full_span f
   where f.config_name = p_config_name and f.span_start <= v_window
   order by f.span_start desc
   limit 1;
  return case when v_end > v_window then rate_limit_ms(v_end) else p_window_ms end;
end
$$;

-- Adds a run of windows to the spans of full ones, joined with the spans it touches.
create function rate_limit_mark_full(p_config_name text, p_start_ms bigint, p_end_ms bigint) returns void
language plpgsql
set enable_seqscan = off
as $$
declare
  v_start timestamptz := rate_limit_instant(p_start_ms);
  v_end timestamptz := rate_limit_instant(p_end_ms);
  v_right_end timestamptz;
  v_left rate_limit_full_span;
begin
  delete from rate_limit_full_span f
   where f.config_name = p_config_name and f.span_start = v_end
  returning f.span_end into v_right_end;
  v_end := coalesce(v_right_end, v_end);

  select * into v_left
    from rate_limit_full_span f
   where f.config_name = p_config_name and f.span_start <= v_start
   order by f.span_start desc
   limit 1;
  if v_left.span_end >= v_start then
    update rate_limit_full_span f
       set span_end = greatest(f.span_end, v_end)
     where f.config_name = p_config_name and f.span_start = v_left.span_start;
  else
    insert into rate_limit_full_span (config_name, span_start, span_end) values (p_config_name, v_start, v_end);
  end if;
end
$$;

-- Takes up to p_want free slot numbers of one window, lowest first, whose offset lies in p_from_ms .. p_until_ms, as
-- long as the window holds fewer than p_limit slots. The caller inserts the slots before it takes from this window again.
create function rate_limit_take(
  p_config rate_limit_config, p_window_ms bigint, p_from_ms bigint, p_until_ms bigint, p_limit integer, p_want integer,
  out numbers integer[], out is_full boolean)
language plpgsql
set enable_seqscan = off
as $$
declare
  v_capacity constant integer := p_config.max_per_window;
  v_window constant timestamptz := rate_limit_instant(p_window_ms);
  v_count integer;
  v_next integer;
  v_free_below bigint;
  v_passed_below bigint := 0;
  v_want integer;
  v_offset bigint;
begin
  numbers := '{}';
  select c.slot_count, c.next_slot_no, c.free_below_ms into v_count, v_next, v_free_below
    from rate_limit_window_counter c
   where c.config_name = p_config.config_name and c.window_start = v_window;
  if not found then
    v_count := 0; v_next := 0; v_free_below := 0;
  end if;
  is_full := v_count >= v_capacity;
  v_want := least(p_want, p_limit - v_count);
  if v_want <= 0 then
    return;
  end if;

  -- Numbers that earlier calls passed over, because they lay before the time those asked for.
  if v_count < v_next and p_from_ms < v_free_below then
    numbers := array(
      select n
        from generate_series(0, least(v_next, v_capacity) - 1) n
        left join lateral (
          select true as taken
            from rate_limit_slot s
           where s.config_name = p_config.config_name and s.window_start = v_window and s.slot_no = n
           limit 1) s on true
       where s.taken is null and rate_limit_offset(p_config, n) between p_from_ms and p_until_ms
       order by n
       limit v_want);
    v_want := v_want - cardinality(numbers);
  end if;

  if p_from_ms = 0 and p_until_ms >= p_config.window_size_ms - 1 then
    v_want := least(v_want, v_capacity - v_next);
    if v_want > 0 then
      numbers := numbers || array(select generate_series(v_next, v_next + v_want - 1));
      v_next := v_next + v_want;
    end if;
  else
    for v_number in v_next .. v_capacity - 1 loop
      exit when v_want = 0;
      v_offset := rate_limit_offset(p_config, v_number);
      if v_offset between p_from_ms and p_until_ms then
        numbers := numbers || v_number;
        v_want := v_want - 1;
        v_next := v_number + 1;
        v_free_below := greatest(v_free_below, v_passed_below);
      else
        v_passed_below := greatest(v_passed_below, v_offset + 1);
      end if;
    end loop;
  end if;

  if cardinality(numbers) > 0 then
    v_count := v_count + cardinality(numbers);
    is_full := v_count >= v_capacity;
    insert into rate_limit_window_counter as c (config_name, window_start, slot_count, next_slot_no, free_below_ms)
    values (p_config.config_name, v_window, v_count, v_next, v_free_below)
    on conflict (config_name, window_start) do update
       set slot_count = excluded.slot_count,
           next_slot_no = excluded.next_slot_no,
           free_below_ms = excluded.free_below_ms;
  end if;
end
$$;

-- Gives each event of the group a slot, as if they had come one by one in array order. Event ids must be distinct.
-- The lock on the config's row is the only one that is waited for, so no two groups can wait for each other.
-- Out: one row an event, in no order; or one row 'config_changed' when p_version is not the active one.
create function rate_limit_assign(
  p_config_name text, p_version integer, p_event_ids text[], p_requested_ms bigint[])
returns table (event_id text, outcome text, requested_ms bigint, scheduled_ms bigint, window_ms bigint, slot_no integer)
language plpgsql
-- A plan made while the tables were small must not scan them when they have grown.
set enable_seqscan = off
as $$
#variable_conflict use_column
declare
  v_config rate_limit_config;
  v_events text[];
  v_times bigint[];
  v_at integer := 1;
  v_last integer;
  v_total integer;
  v_requested bigint;
  v_window bigint;
  v_elapsed bigint;
  v_horizon bigint;
  v_taken record;
  v_placed integer;
  v_full_start bigint;
  v_full_end bigint;
begin
  select * into v_config
    from rate_limit_config c
   where c.config_name = p_config_name and c.version = p_version
     for no key update;
  if not found or not v_config.is_active then
    return query select null::text, 'config_changed', null::bigint, null::bigint, null::bigint, null::integer;
    return;
  end if;

  select coalesce(array_agg(r.event_id order by r.ord), '{}'), coalesce(array_agg(r.ms order by r.ord), '{}')
    into v_events, v_times
    from unnest(p_event_ids, p_requested_ms) with ordinality r (event_id, ms, ord)
    left join lateral (
      select true as placed
        from rate_limit_slot s
       where s.config_name = p_config_name and s.event_id = r.event_id
       limit 1) s on true
   where s.placed is null;
  v_total := cardinality(v_events);

  if v_total < cardinality(p_event_ids) then
    return query
      select s.event_id, 'existing', rate_limit_ms(s.requested_time), rate_limit_ms(s.scheduled_time),
             rate_limit_ms(s.window_start), s.slot_no
        from unnest(p_event_ids) r (event_id)
       cross join lateral (
         select * from rate_limit_slot s where s.config_name = p_config_name and s.event_id = r.event_id limit 1) s;
  end if;

  while v_at <= v_total loop
    -- Neighbours that ask for the same time are placed together.
    v_requested := v_times[v_at];
    v_last := v_at;
    while v_last < v_total and v_times[v_last + 1] = v_requested loop
      v_last := v_last + 1;
    end loop;
    v_elapsed := v_requested % v_config.window_size_ms;
    v_window := v_requested - v_elapsed;
    v_horizon := v_requested + v_config.max_delay_ms;

    while v_at <= v_last loop
      if v_elapsed = 0 then
        v_window := rate_limit_first_open(p_config_name, v_window);
      end if;
      exit when v_window > v_horizon;
      select * into v_taken
        from rate_limit_take(
          v_config, v_window, v_elapsed, least(v_config.window_size_ms - 1, v_horizon - v_window),
          (v_config.max_per_window * (v_config.window_size_ms - v_elapsed) / v_config.window_size_ms)::integer,
          v_last - v_at + 1);
      v_placed := cardinality(v_taken.numbers);
      if v_placed > 0 then
        return query
          insert into rate_limit_slot as s (
            config_name, event_id, window_start, slot_no, window_capacity, config_version, requested_time, scheduled_time)
          select p_config_name, t.event_id, rate_limit_instant(v_window), t.slot_no, v_config.max_per_window, p_version,
                 rate_limit_instant(v_requested),
                 rate_limit_instant(v_window + rate_limit_offset(v_config, t.slot_no))
            from unnest(v_events[v_at : v_at + v_placed - 1], v_taken.numbers) t (event_id, slot_no)
          returning s.event_id, 'assigned', v_requested, v_window + rate_limit_offset(v_config, s.slot_no),
                    v_window, s.slot_no;
        v_at := v_at + v_placed;
      end if;
      if v_taken.is_full then
        if v_full_end is distinct from v_window then
          if v_full_end is not null then
            perform rate_limit_mark_full(p_config_name, v_full_start, v_full_end);
          end if;
          v_full_start := v_window;
        end if;
        v_full_end := v_window + v_config.window_size_ms;
      end if;
      v_window := v_window + v_config.window_size_ms;
      v_elapsed := 0;
    end loop;

    -- Once a run of windows, not once a window: every change of a row in one transaction leaves a version behind that the
    -- next change has to step over.
    if v_full_end is not null then
      perform rate_limit_mark_full(p_config_name, v_full_start, v_full_end);
      v_full_end := null;
    end if;

    if v_at <= v_last then
      return query
        select e, 'exhausted', v_requested, v_horizon, null::bigint, null::integer
          from unnest(v_events[v_at : v_last]) e;
      v_at := v_last + 1;
    end if;
  end loop;
end
$$;
