-- safe: online
-- How slots go: given back by their event, or removed when they are long past.

-- Out: outcome 'released' or 'past' with the slot, or 'not_found'.
create function rate_limit_release(
  p_config_name text, p_event_id text, p_now_ms bigint,
  out outcome text, out requested_ms bigint, out scheduled_ms bigint, out window_ms bigint, out slot_no integer)
language plpgsql
set enable_seqscan = off
as $$
#variable_conflict use_column
declare
  c rate_limit_config;
  v_slot rate_limit_slot;
  v_count integer;
  v_span rate_limit_full_span;
begin
  select * into c from rate_limit_config r where r.config_name = p_config_name and r.is_active for no key update;
  select * into v_slot from rate_limit_slot s where s.config_name = p_config_name and s.event_id = p_event_id;
  if v_slot.event_id is null then
    outcome := 'not_found';
    return;
  end if;
  requested_ms := rate_limit_ms(v_slot.requested_time);
  scheduled_ms := rate_limit_ms(v_slot.scheduled_time);
  window_ms := rate_limit_ms(v_slot.window_start);
  slot_no := v_slot.slot_no;
  if scheduled_ms <= coalesce(p_now_ms, rate_limit_ms(clock_timestamp())) then
    outcome := 'past';
    return;
  end if;

  outcome := 'released';
  delete from rate_limit_slot s where s.config_name = p_config_name and s.event_id = p_event_id;
  update rate_limit_window_counter w
     set slot_count = w.slot_count - 1,
         free_below_ms = greatest(w.free_below_ms, 1 + rate_limit_offset(
           v_slot.slot_no, c.spread_stride, c.spread_phase, c.max_per_window, c.window_size_ms))
   where w.config_name = p_config_name and w.window_start = v_slot.window_start
  returning w.slot_count into v_count;
  if v_count = 0 then
    delete from rate_limit_window_counter w
     where w.config_name = p_config_name and w.window_start = v_slot.window_start;
  end if;

  -- The window has room again, unless it holds more than a capacity that was lowered since.
  if v_count < c.max_per_window then
    select * into v_span
      from rate_limit_full_span f
     where f.config_name = p_config_name and f.span_start <= v_slot.window_start
     order by f.span_start desc
     limit 1;
    if v_span.span_end > v_slot.window_start then
      delete from rate_limit_full_span f
       where f.config_name = p_config_name and f.span_start = v_span.span_start;
      insert into rate_limit_full_span (config_name, span_start, span_end)
      select p_config_name, part.span_start, part.span_end
        from (values (v_span.span_start, v_slot.window_start),
                     (rate_limit_instant(window_ms + c.window_size_ms), v_span.span_end)) part (span_start, span_end)
       where part.span_start < part.span_end;
    end if;
  end if;
end
$$;

-- Removes slots of windows that ended p_min_age_ms ago or earlier, oldest first and at most p_limit of them, and what the
-- other tables say of windows without slots that are as old. Takes no lock that an assignment waits for: no slot is ever
-- placed into a window that is past.
create function rate_limit_prune(
  p_config_name text, p_min_age_ms bigint, p_limit integer, p_now_ms bigint,
  out slots integer, out windows integer, out has_more boolean)
language plpgsql
set enable_seqscan = off
as $$
#variable_conflict use_column
declare
  v_until timestamptz;
begin
  -- The longest window that this name ever had: earlier versions may have had another size.
  select rate_limit_instant(
           coalesce(p_now_ms, rate_limit_ms(clock_timestamp())) - p_min_age_ms - max(c.window_size_ms))
    into v_until
    from rate_limit_config c
   where c.config_name = p_config_name;

  with old as materialized (
    select s.config_name, s.event_id
      from rate_limit_slot s
     where s.config_name = p_config_name and s.window_start <= v_until
     order by s.window_start, s.slot_no
     limit p_limit
       for update skip locked)
  delete from rate_limit_slot s using old o
   where s.config_name = o.config_name and s.event_id = o.event_id;
  get diagnostics slots = row_count;

  with old as materialized (
    select w.config_name, w.window_start
      from rate_limit_window_counter w
     where w.config_name = p_config_name and w.window_start <= v_until
       and not exists (
         select from rate_limit_slot s
          where s.config_name = w.config_name and s.window_start = w.window_start)
     order by w.window_start
     limit p_limit
       for update skip locked)
  delete from rate_limit_window_counter w using old o
   where w.config_name = o.config_name and w.window_start = o.window_start;
  get diagnostics windows = row_count;

  delete from rate_limit_full_span f
   where f.config_name = p_config_name
     and f.span_start in (
       select g.span_start
         from rate_limit_full_span g
        where g.config_name = p_config_name and g.span_start <= v_until and g.span_end <= v_until
        order by g.span_start
        limit p_limit);

  has_more := slots = p_limit or windows = p_limit;
end
$$;
