-- safe: online
-- Rate limits, the slots given out under them, and what is needed to find the next window with room.
-- Everything of one config is written only by a transaction that holds the lock on the config's active row.

create table rate_limit_config (
  config_name     text        not null,
  version         integer     not null check (version >= 1),
  max_per_window  integer     not null check (max_per_window between 1 and 1000000),
  window_size_ms  bigint      not null check (window_size_ms between 1 and 86400000),
  max_delay_ms    bigint      not null check (max_delay_ms between 0 and 31622400000),
  spread_stride   integer     not null check (spread_stride >= 1),
  spread_phase    integer     not null check (spread_phase between 0 and 999),
  is_active       boolean     not null,
  created_by      text        not null,
  created_at      timestamptz not null default now(),
  deactivated_at  timestamptz,
  primary key (config_name, version)
);

create unique index ux_rate_limit_config_active on rate_limit_config (config_name) where is_active;

-- Occupancy of a window, whatever versions of the config its slots were given under.
create table rate_limit_window_counter (
  config_name     text        not null,
  window_start    timestamptz not null,
  slot_count      integer     not null check (slot_count >= 0),
  -- No number from here on was ever given out; below it, slot_count of them are taken.
  next_slot_no    integer     not null,
  -- Numbers below next_slot_no that are free lie at offsets below this one; 0 where there are none.
  free_below_ms   bigint      not null default 0,
  primary key (config_name, window_start),
  check (next_slot_no >= slot_count)
) with (fillfactor = 80);

-- The unique slot_no and the check on it are the proof that no window holds more than its capacity.
create table rate_limit_slot (
  config_name      text        not null,
  event_id         text        not null,
  window_start     timestamptz not null,
  slot_no          integer     not null,
  window_capacity  integer     not null,
  config_version   integer     not null,
  requested_time   timestamptz not null,
  scheduled_time   timestamptz not null,
  assigned_at      timestamptz not null default now(),
  primary key (config_name, event_id),
  constraint ux_rate_limit_slot_number unique (config_name, window_start, slot_no),
  constraint ck_rate_limit_slot_capacity check (slot_no >= 0 and slot_no < window_capacity),
  constraint ck_rate_limit_slot_time check (scheduled_time >= requested_time and scheduled_time >= window_start)
);

-- Unbroken runs of full windows, so that one index probe steps over any number of them. The counters are the truth:
-- a full window that is missing here is only found more slowly.
create table rate_limit_full_span (
  config_name  text        not null,
  span_start   timestamptz not null,
  span_end     timestamptz not null,
  primary key (config_name, span_start),
  check (span_end > span_start)
) with (fillfactor = 50);
