-- Count READY items by the minute they are due in. It jumps from one minute that has items to the next and reads at most
-- a cap of each, so that a minute with half a million costs no more than one with the cap.
-- In: item_type, first_instant or null for the oldest item, max_minutes, cap (of one minute).
-- Out: minutes[] (ISO text in UTC), ready[] (more than the cap means: at least the cap).  Uses ix_exec_queue_ready.
BEGIN
  dispatch_operations.measure_minutes(
    p_item_type => :item_type, p_from => :first_instant, p_max_minutes => :max_minutes, p_cap => :cap,
    p_minutes => :minutes, p_ready => :ready);
END;
