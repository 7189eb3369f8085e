-- Give a group of events their slots in one transaction; waits for the config's other groups.
-- In: config_name, version, event_ids[] (distinct), requested[], draws[] (random spread), always_open (1 or 0), open_from[],
--   open_until[], now_ms or null (the clock of the database).
-- Out: outcome ('answered' or 'config_changed'), searched, and for each event outcomes[], first_requested[], scheduled[],
--   windows[], numbers[].  Uses the primary keys and ux_rate_limit_slot_number.
BEGIN
  rate_limit_slots.assign_slots(
    p_config_name => :config_name, p_version => :version, p_event_ids => :event_ids, p_requested => :requested,
    p_draws => :draws, p_always_open => :always_open, p_open_from => :open_from, p_open_until => :open_until,
    p_now_ms => :now_ms, p_outcome => :outcome, p_searched => :searched, p_outcomes => :outcomes,
    p_first_requested => :first_requested, p_scheduled => :scheduled, p_windows => :windows, p_numbers => :numbers);
END;
