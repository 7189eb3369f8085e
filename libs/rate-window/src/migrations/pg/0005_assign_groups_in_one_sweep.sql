-- breaking: stop slot-assigner first
-- Assignment of a whole group in one call and one sweep over the windows, from the earliest requested time on. What the
-- sweep finds is kept in arrays and written by three statements at its end, however many windows it went through.
-- Times are milliseconds since the epoch.

-- Where a slot lies inside its window: a golden-ratio walk over p_capacity equal cells.
create function rate_limit_offset(
  p_slot_no integer, p_stride integer, p_phase integer, p_capacity integer, p_window_size_ms bigint) returns bigint
language sql immutable parallel safe
return ((p_slot_no::bigint * p_stride) % p_capacity * 1000 + p_phase) * p_window_size_ms / (p_capacity::bigint * 1000);

create function rate_limit_length(p_open int8multirange) returns bigint
language sql immutable parallel safe
return (select coalesce(sum(upper(r) - lower(r)), 0)::bigint from unnest(p_open) r);

-- The instant that lies p_draw millionths into the open time.
create function rate_limit_drawn_instant(p_open int8multirange, p_draw integer) returns bigint
language plpgsql immutable parallel safe
as $$
declare
  v_left bigint := rate_limit_length(p_open) * p_draw / 1000000;
  v_span int8range;
begin
  for v_span in select r from unnest(p_open) r order by r loop
    exit when v_left < upper(v_span) - lower(v_span);
    v_left := v_left - (upper(v_span) - lower(v_span));
  end loop;
  return lower(v_span) + v_left;
end
$$;

-- Adds a run of windows to the spans without room, joined with the spans it touches or covers.
create or replace function rate_limit_mark_full(p_config_name text, p_start_ms bigint, p_end_ms bigint) returns void
language plpgsql
as $$
declare
  v_start timestamptz := rate_limit_instant(p_start_ms);
  v_end timestamptz := rate_limit_instant(p_end_ms);
  v_right_end timestamptz;
  v_left rate_limit_full_span;
begin
  with joined as (
    delete from rate_limit_full_span f
     where f.config_name = p_config_name and f.span_start > v_start and f.span_start <= v_end
    returning f.span_end)
  select max(j.span_end) into v_right_end from joined j;
  v_end := greatest(v_end, v_right_end);

  select * into v_left
    from rate_limit_full_span f
   where f.config_name = p_config_name and f.span_start <= v_start
   order by f.span_start desc
   limit 1;
  if v_left.span_end >= v_start then
    update rate_limit_full_span f
       set span_end = v_end
     where f.config_name = p_config_name and f.span_start = v_left.span_start and f.span_end < v_end;
  else
    insert into rate_limit_full_span (config_name, span_start, span_end) values (p_config_name, v_start, v_end);
  end if;
end
$$;

-- Free numbers of one window, lowest first, whose slots lie in p_usable (null: anywhere). Numbers below p_given were given
-- out before and may be free again; those in p_held are taken by the caller, who has not written them yet.
create function rate_limit_free_numbers(
  p_config rate_limit_config, p_window_ms bigint, p_usable int8multirange, p_first integer, p_last integer,
  p_given integer, p_held integer[], p_want integer) returns integer[]
language plpgsql
as $$
declare
  v_window constant timestamptz := rate_limit_instant(p_window_ms);
begin
  return array(
    select c.n
      -- In the select list the series is made only as far as the limit needs it.
      from (select generate_series(p_first, p_last) as n) c
      left join lateral (
        select true as is_taken
          from rate_limit_slot e
         where c.n < p_given
           and e.config_name = p_config.config_name and e.window_start = v_window and e.slot_no = c.n
         limit 1) s on true
     where (p_usable is null
            or p_usable @> p_window_ms + rate_limit_offset(
                 c.n, p_config.spread_stride, p_config.spread_phase, p_config.max_per_window, p_config.window_size_ms))
       and s.is_taken is null
       and (c.n >= p_given or c.n <> all (p_held))
     limit p_want);
end
$$;

-- Gives each event of the group a slot, as if they had come one by one in the order of their times. Event ids must be
-- distinct. The lock on the config's row is the only one that is waited for, so no two groups can wait for each other.
-- In: p_draws: a number below 1,000,000 for each event where the spread is random, else null.
--     p_open: the open time from the earliest requested time (or now) to the last horizon; null is always open.
--     p_now_ms: the present; null is the clock of the database.
-- Out: a row an event, in no order, with the event's place in the group; one row with place 0 and the number of windows that
--     were looked into; or only one row 'config_changed' when p_version is not the active one.
create function rate_limit_assign(
  p_config_name text, p_version integer, p_event_ids text[], p_requested_ms bigint[], p_draws integer[],
  p_open int8multirange, p_now_ms bigint)
returns table (place integer, outcome text, requested_ms bigint, scheduled_ms bigint, window_ms bigint, slot_no integer)
language plpgsql
-- A plan made while the tables were small must not scan them when they have grown. For the same reason single rows are
-- looked up in lateral subqueries with a limit: as a join, a plan may read all slots of the config, if there were few.
set enable_seqscan = off
-- Making a plan anew for the values of a call takes longer than the call.
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  c rate_limit_config;
  v_now bigint;
  v_searched integer := 0;
  v_known integer;
  -- The events without a slot, by time; events of one time are a run.
  v_places integer[];
  v_run_time bigint[];
  v_run_next integer[];
  v_run_left integer[];
  v_first integer := 1;
  v_reached integer := 0;
  -- State of the windows that the runs ask for, read at once.
  v_read bigint[];
  v_read_count integer[];
  v_read_next integer[];
  v_read_free bigint[];
  v_read_skip bigint[];
  v_at integer := 1;
  v_last_used bigint;
  -- The window that the sweep is at.
  v_window bigint;
  v_skip bigint;
  v_count integer;
  v_next integer;
  v_free_below bigint;
  v_open int8multirange;
  v_usable int8multirange;
  v_room integer;
  v_limit integer;
  v_want integer;
  v_from bigint;
  v_until bigint;
  v_numbers integer[];
  v_more integer[];
  v_held integer[];
  v_is_full boolean;
  -- A stretch of windows without room, and whether the spans do not say so yet.
  v_full_start bigint;
  v_full_end bigint;
  v_full_news boolean := false;
  -- What is to be written.
  v_out_places integer[] := '{}';
  v_out_windows bigint[] := '{}';
  v_out_numbers integer[] := '{}';
  v_out_times bigint[] := '{}';
  v_set_windows bigint[] := '{}';
  v_set_counts integer[] := '{}';
  v_set_nexts integer[] := '{}';
  v_set_frees bigint[] := '{}';
begin
  select * into c
    from rate_limit_config r
   where r.config_name = p_config_name and r.version = p_version
     for no key update;
  if not found or not c.is_active then
    return query select 0, 'config_changed', null::bigint, null::bigint, null::bigint, null::integer;
    return;
  end if;
  v_now := coalesce(p_now_ms, ceil(extract(epoch from clock_timestamp()) * 1000)::bigint);

  return query
    select r.place::integer, 'existing', rate_limit_ms(s.requested_time), rate_limit_ms(s.scheduled_time),
           rate_limit_ms(s.window_start), s.slot_no
      from unnest(p_event_ids) with ordinality r (event_id, place)
     cross join lateral (
       select e.requested_time, e.scheduled_time, e.window_start, e.slot_no
         from rate_limit_slot e
        where e.config_name = p_config_name and e.event_id = r.event_id
        limit 1) s;
  get diagnostics v_known = row_count;

  if v_known = 0 then
    select array_agg(r.place order by greatest(r.ms, v_now), r.place)
      into v_places
      from unnest(p_requested_ms) with ordinality r (ms, place);
  else
    select array_agg(r.place order by greatest(r.ms, v_now), r.place)
      into v_places
      from unnest(p_event_ids, p_requested_ms) with ordinality r (event_id, ms, place)
      left join lateral (
        select true as is_known
          from rate_limit_slot e
         where e.config_name = p_config_name and e.event_id = r.event_id
         limit 1) s on true
     where s.is_known is null;
  end if;

  if v_places is null then
    return query select 0, 'searched', null::bigint, null::bigint, null::bigint, 0;
    return;
  end if;

  select array_agg(t.ms order by t.ms), array_agg(t.first::integer order by t.ms), array_agg(t.events::integer order by t.ms)
    into v_run_time, v_run_next, v_run_left
    from (select greatest(p_requested_ms[q.place], v_now) as ms, min(q.at) as first, count(*) as events
            from unnest(v_places) with ordinality q (place, at)
           group by 1) t;

  select coalesce(rate_limit_ms(max(w.window_start)), -1) into v_last_used
    from rate_limit_window_counter w
   where w.config_name = p_config_name;

  select array_agg(a.ms order by a.ms), array_agg(coalesce(w.slot_count, 0) order by a.ms),
         array_agg(coalesce(w.next_slot_no, 0) order by a.ms), array_agg(coalesce(w.free_below_ms, 0) order by a.ms),
         array_agg(rate_limit_ms(f.span_end) order by a.ms)
    into v_read, v_read_count, v_read_next, v_read_free, v_read_skip
    from (select distinct t - t % c.window_size_ms as ms from unnest(v_run_time) t) a
    left join lateral (
      select k.slot_count, k.next_slot_no, k.free_below_ms
        from rate_limit_window_counter k
       where k.config_name = p_config_name and k.window_start = rate_limit_instant(a.ms)
       limit 1) w on true
    left join lateral (
      select g.span_end
        from rate_limit_full_span g
       where g.config_name = p_config_name and g.span_start <= rate_limit_instant(a.ms)
       order by g.span_start desc
       limit 1) f on true;

  while v_first <= cardinality(v_run_time) loop
    -- The next window: the one after the last, or that of the next run where no earlier one is waiting.
    if v_first > v_reached then
      v_from := v_run_time[v_first] - v_run_time[v_first] % c.window_size_ms;
      if v_full_end is not null and v_from > v_full_end then
        if v_full_news then
          perform rate_limit_mark_full(p_config_name, v_full_start, v_full_end);
        end if;
        v_full_end := null;
      end if;
      v_window := v_from;
    end if;

    -- Past closed time and past runs of full windows.
    loop
      if p_open is not null and not p_open && int8range(v_window, v_window + c.window_size_ms) then
        select min(lower(r)) into v_skip from unnest(p_open) r where lower(r) > v_window;
        if v_skip is null then
          v_window := null;
          exit;
        end if;
        v_skip := v_skip - v_skip % c.window_size_ms;
        if v_full_end is not null then
          -- Closed time belongs to the stretch as far as p_open speaks of it, which is as far as somebody may have to wait.
          if v_skip <= v_run_time[greatest(v_first, v_reached)] + c.max_delay_ms then
            v_full_end := v_skip;
            v_full_news := true;
          else
            if v_full_news then
              perform rate_limit_mark_full(p_config_name, v_full_start, v_full_end);
            end if;
            v_full_end := null;
          end if;
        end if;
      else
        while v_read[v_at] < v_window loop
          v_at := v_at + 1;
        end loop;
        if v_read[v_at] = v_window then
          v_skip := v_read_skip[v_at];
        elsif v_window > v_last_used then
          v_skip := null;
        else
          select rate_limit_ms(g.span_end) into v_skip
            from rate_limit_full_span g
           where g.config_name = p_config_name and g.span_start <= rate_limit_instant(v_window)
           order by g.span_start desc
           limit 1;
        end if;
        exit when v_skip is null or v_skip <= v_window;
        if v_full_end is null then
          v_full_start := v_window;
          v_full_news := false;
        else
          v_full_news := true;
        end if;
        v_full_end := v_skip;
      end if;
      v_window := v_skip;
    end loop;

    -- Nothing is open any more: nobody who waits, or comes, can be placed.
    if v_window is null then
      for i in v_first .. cardinality(v_run_time) loop
        continue when v_run_left[i] = 0;
        return query
          select q, 'exhausted', p_requested_ms[q], v_run_time[i] + c.max_delay_ms, null::bigint, null::integer
            from unnest(v_places[v_run_next[i] : v_run_next[i] + v_run_left[i] - 1]) q;
      end loop;
      exit;
    end if;

    while v_reached < cardinality(v_run_time) and v_run_time[v_reached + 1] < v_window + c.window_size_ms loop
      v_reached := v_reached + 1;
    end loop;

    v_searched := v_searched + 1;
    while v_read[v_at] < v_window loop
      v_at := v_at + 1;
    end loop;
    if v_read[v_at] = v_window then
      v_count := v_read_count[v_at];
      v_next := v_read_next[v_at];
      v_free_below := v_read_free[v_at];
    elsif v_window > v_last_used then
      v_count := 0; v_next := 0; v_free_below := 0;
    else
      select w.slot_count, w.next_slot_no, w.free_below_ms into v_count, v_next, v_free_below
        from rate_limit_window_counter w
       where w.config_name = p_config_name and w.window_start = rate_limit_instant(v_window);
      if not found then
        v_count := 0; v_next := 0; v_free_below := 0;
      end if;
    end if;
    -- Null where the window is open from end to end.
    v_open := case when not p_open @> int8range(v_window, v_window + c.window_size_ms)
                   then p_open * int8multirange(int8range(v_window, v_window + c.window_size_ms)) end;
    v_room := case when v_open is null then c.max_per_window
                   else c.max_per_window * rate_limit_length(v_open) / c.window_size_ms end;
    v_is_full := v_count >= v_room;
    v_held := '{}';

    for i in v_first .. v_reached loop
      continue when v_run_left[i] = 0;
      if v_window > v_run_time[i] + c.max_delay_ms then
        return query
          select q, 'exhausted', p_requested_ms[q], v_run_time[i] + c.max_delay_ms, null::bigint, null::integer
            from unnest(v_places[v_run_next[i] : v_run_next[i] + v_run_left[i] - 1]) q;
        v_run_left[i] := 0;
        continue;
      end if;
      -- Later runs have later horizons.
      exit when v_is_full;

      v_from := greatest(v_run_time[i], v_window);
      v_until := least(v_window + c.window_size_ms, v_run_time[i] + c.max_delay_ms + 1);
      v_limit := case when v_from = v_window then v_room
                      when v_open is null
                        then c.max_per_window * (v_window + c.window_size_ms - v_from) / c.window_size_ms
                      else c.max_per_window
                           * rate_limit_length(v_open * int8multirange(int8range(v_from, v_window + c.window_size_ms)))
                           / c.window_size_ms end;
      v_want := least(v_run_left[i], v_limit - v_count);
      continue when v_want <= 0;
      -- Null where every slot of the window will do.
      v_usable := case when v_open is null and v_from = v_window and v_until = v_window + c.window_size_ms then null
                       else coalesce(v_open, int8multirange(int8range(v_window, v_window + c.window_size_ms)))
                            * int8multirange(int8range(v_from, v_until)) end;
      if isempty(v_usable) then
        continue;
      end if;

      v_numbers := '{}';
      if c.spread = 'random' then
        if v_count < v_next then
          v_numbers := rate_limit_free_numbers(
            c, v_window, null, 0, least(v_next, c.max_per_window) - 1, v_next, v_held, v_want);
          v_want := v_want - cardinality(v_numbers);
        end if;
      elsif v_count < v_next and v_from - v_window < v_free_below then
        -- Numbers that were given back, or passed over because they lay before the time that was asked for.
        v_numbers := rate_limit_free_numbers(
          c, v_window, v_usable, 0, least(v_next, c.max_per_window) - 1, v_next, v_held, v_want);
        v_want := v_want - cardinality(v_numbers);
      end if;
      if v_want > 0 and (v_usable is null or c.spread = 'random') then
        v_want := least(v_want, c.max_per_window - v_next);
        if v_want > 0 then
          v_numbers := v_numbers || array(select generate_series(v_next, v_next + v_want - 1));
          v_next := v_next + v_want;
        end if;
      elsif v_want > 0 then
        v_more := '{}';
        if v_want = 1 then
          -- For one event a few tries are quicker than a query.
          for v_number in v_next .. least(v_next + 15, c.max_per_window - 1) loop
            if v_usable @> v_window + rate_limit_offset(
                 v_number, c.spread_stride, c.spread_phase, c.max_per_window, c.window_size_ms) then
              v_more := array[v_number];
              exit;
            end if;
          end loop;
        end if;
        if cardinality(v_more) = 0 then
          v_more := rate_limit_free_numbers(
            c, v_window, v_usable, v_next, c.max_per_window - 1, v_next, v_held, v_want);
        end if;
        if cardinality(v_more) > 0 then
          if v_more[cardinality(v_more)] >= v_next + cardinality(v_more) then
            -- What was passed over lies before the time asked for, or anywhere where more than that stood in the way.
            v_free_below := greatest(
              v_free_below,
              case when v_open is null and v_until = v_window + c.window_size_ms then v_from - v_window
                   else c.window_size_ms end);
          end if;
          v_next := v_more[cardinality(v_more)] + 1;
          v_numbers := v_numbers || v_more;
        end if;
      end if;

      v_want := cardinality(v_numbers);
      if v_want > 0 then
        v_held := v_held || v_numbers;
        v_count := v_count + v_want;
        v_out_places := v_out_places || v_places[v_run_next[i] : v_run_next[i] + v_want - 1];
        v_out_windows := v_out_windows || array_fill(v_window, array[v_want]);
        v_out_numbers := v_out_numbers || v_numbers;
        if c.spread = 'random' then
          v_out_times := v_out_times || array(
            select case when v_open is null then v_from + (v_until - v_from) * p_draws[t.q] / 1000000
                        else rate_limit_drawn_instant(v_usable, p_draws[t.q]) end
              from unnest(v_places[v_run_next[i] : v_run_next[i] + v_want - 1]) with ordinality t (q, at)
             order by t.at);
        end if;
        v_run_next[i] := v_run_next[i] + v_want;
        v_run_left[i] := v_run_left[i] - v_want;
      end if;
      -- A window may have no number left for all of its open time though it holds less than its share of slots.
      v_is_full := v_count >= v_room
                   or (v_run_left[i] > 0 and v_from = v_window and v_until = v_window + c.window_size_ms);
    end loop;

    if cardinality(v_held) > 0 then
      v_set_windows := v_set_windows || v_window;
      v_set_counts := v_set_counts || v_count;
      v_set_nexts := v_set_nexts || v_next;
      v_set_frees := v_set_frees || v_free_below;
    end if;
    while v_first <= v_reached and v_run_left[v_first] = 0 loop
      v_first := v_first + 1;
    end loop;

    if v_is_full then
      if v_full_end is distinct from v_window then
        v_full_start := v_window;
      end if;
      v_full_end := v_window + c.window_size_ms;
      v_full_news := true;
    elsif v_full_end is not null then
      if v_full_news then
        perform rate_limit_mark_full(p_config_name, v_full_start, v_full_end);
      end if;
      v_full_end := null;
    end if;
    v_window := v_window + c.window_size_ms;
  end loop;

  if v_full_end is not null and v_full_news then
    perform rate_limit_mark_full(p_config_name, v_full_start, v_full_end);
  end if;

  insert into rate_limit_window_counter as w (config_name, window_start, slot_count, next_slot_no, free_below_ms)
  select p_config_name, rate_limit_instant(t.ms), t.slot_count, t.next_slot_no, t.free_below_ms
    from unnest(v_set_windows, v_set_counts, v_set_nexts, v_set_frees) t (ms, slot_count, next_slot_no, free_below_ms)
  on conflict (config_name, window_start) do update
     set slot_count = excluded.slot_count,
         next_slot_no = excluded.next_slot_no,
         free_below_ms = excluded.free_below_ms;

  return query
    with placed as materialized (
      select o.place, o.window_ms, o.slot_no, r.event_id, r.ms,
             coalesce(o.scheduled_ms, o.window_ms + rate_limit_offset(
               o.slot_no, c.spread_stride, c.spread_phase, c.max_per_window, c.window_size_ms)) as scheduled_ms
        from unnest(v_out_places, v_out_windows, v_out_numbers, v_out_times) o (place, window_ms, slot_no, scheduled_ms)
        join unnest(p_event_ids, p_requested_ms) with ordinality r (event_id, ms, place) on r.place = o.place),
    written as (
      insert into rate_limit_slot (
        config_name, event_id, window_start, slot_no, window_capacity, config_version, requested_time, scheduled_time)
      select p_config_name, p.event_id, rate_limit_instant(p.window_ms), p.slot_no, c.max_per_window, p_version,
             rate_limit_instant(p.ms), rate_limit_instant(p.scheduled_ms)
        from placed p)
    select p.place, 'assigned', p.ms, p.scheduled_ms, p.window_ms, p.slot_no from placed p
    union all
    select 0, 'searched', null, null, null, v_searched;
end
$$;
