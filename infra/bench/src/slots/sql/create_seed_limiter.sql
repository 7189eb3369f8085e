-- The rate limiter that ours replaces, as its description has it, from Oracle's language into PostgreSQL's: tables, and the
-- block that places one event. NOWAIT and a walk over the windows; the skip query knows only windows that have a row.
-- In: nothing.  Out: nothing.
create table seed_window_counter (
  window_start timestamptz primary key,
  slot_count   integer     not null,
  status       text        not null
);
create index ix_seed_window_status on seed_window_counter (status, window_start);

create table seed_event_slot (
  event_id       text        primary key,
  window_start   timestamptz not null,
  requested_time timestamptz not null,
  scheduled_time timestamptz not null,
  created_at     timestamptz not null default now()
);

create function seed_try_window(
  p_event_id text, p_window timestamptz, p_requested timestamptz, p_jitter_ms integer, p_effective_max integer,
  p_max integer) returns timestamptz
language plpgsql
as $$
declare
  v_count integer;
  v_scheduled timestamptz := p_window + p_jitter_ms * interval '1 millisecond';
begin
  insert into seed_window_counter (window_start, slot_count, status) values (p_window, 0, 'OPEN')
  on conflict (window_start) do nothing;
  select slot_count into v_count from seed_window_counter where window_start = p_window for update nowait;
  if v_count >= p_effective_max then
    return null;
  end if;
  insert into seed_event_slot (event_id, window_start, requested_time, scheduled_time)
  values (p_event_id, p_window, p_requested, v_scheduled);
  update seed_window_counter
     set slot_count = slot_count + 1,
         status = case when slot_count + 1 >= p_max then 'CLOSED' else 'OPEN' end
   where window_start = p_window;
  return v_scheduled;
exception
  when lock_not_available or deadlock_detected then
    return null;
end
$$;

create function seed_assign(
  p_event_id text, p_requested timestamptz, p_first_jitter_ms integer, p_full_jitter_ms integer, p_max integer,
  p_size_ms integer, p_headroom integer) returns timestamptz
language plpgsql
as $$
declare
  v_size constant interval := p_size_ms * interval '1 millisecond';
  v_elapsed_ms bigint := (extract(epoch from p_requested) * 1000)::bigint % p_size_ms;
  v_first timestamptz := p_requested - v_elapsed_ms * interval '1 millisecond';
  v_found timestamptz;
  v_window timestamptz;
  v_limit timestamptz;
begin
  select scheduled_time into v_found from seed_event_slot where event_id = p_event_id;
  if found then
    return v_found;
  end if;

  v_found := seed_try_window(
    p_event_id, v_first, p_requested, p_first_jitter_ms, (p_max * (p_size_ms - v_elapsed_ms) / p_size_ms)::integer, p_max);
  if v_found is not null then
    return v_found;
  end if;

  select min(window_start) into v_window from seed_window_counter where status = 'OPEN' and window_start > v_first;
  v_window := coalesce(v_window, v_first + v_size);
  v_limit := v_window + p_headroom * v_size;
  while v_window <= v_limit loop
    v_found := seed_try_window(p_event_id, v_window, p_requested, p_full_jitter_ms, p_max, p_max);
    if v_found is not null then
      return v_found;
    end if;
    v_window := v_window + v_size;
  end loop;
  return null;
exception
  when unique_violation then
    return (select scheduled_time from seed_event_slot where event_id = p_event_id);
end
$$;
