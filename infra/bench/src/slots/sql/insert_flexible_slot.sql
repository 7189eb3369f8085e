-- Keep the slot of an event, unless it has one.
-- In: event id, window no, slot no, scheduled time.  Out: one row when it was kept.
insert into flexible_slot (event_id, window_no, slot_no, scheduled_time) values ($1, $2, $3, $4)
on conflict (event_id) do nothing
returning event_id
