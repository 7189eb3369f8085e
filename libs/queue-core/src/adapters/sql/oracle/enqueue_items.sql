-- Save a context and its queue row; what is there already stays as it is. Sent once for many items, in the order of their keys,
-- so that two callers with the same items wait for each other and never in a circle.
-- In: item_type, item_id, context_json, context_version, scheduled_exec_time, init_workflow_id.
-- Out: outcome: 'enqueued', 'duplicate', or 'present': there is a context; ask compare_contexts.
-- Uses pk_exec_context, pk_exec_queue.
BEGIN
  dispatch_items.enqueue_item(
    p_item_type => :item_type, p_item_id => :item_id, p_context_json => :context_json,
    p_context_version => :context_version, p_scheduled_exec_time => :scheduled_exec_time,
    p_init_workflow_id => :init_workflow_id, p_outcome => :outcome);
END;
