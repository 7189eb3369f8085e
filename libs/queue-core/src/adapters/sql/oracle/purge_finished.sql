-- Remove items that were finished long ago, with their contexts; what another transaction holds is left for the next time.
-- In: item_type, min_age_seconds, max_items.  Out: items, contexts (how many rows went).
-- Uses ix_exec_queue_settled, pk_exec_queue, pk_exec_context.
BEGIN
  dispatch_retention.purge_finished(
    p_item_type => :item_type, p_min_age_seconds => :min_age_seconds, p_max_items => :max_items,
    p_items => :items, p_contexts => :contexts);
END;
