-- What a user of rate-limiter-flexible has to keep beside its counters, so that an event has one slot and keeps it.
-- In: nothing.  Out: nothing.
create table flexible_slot (
  event_id       text        primary key,
  window_no      integer     not null,
  slot_no        integer     not null,
  scheduled_time timestamptz not null,
  unique (window_no, slot_no)
)
