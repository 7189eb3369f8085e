-- Create or change the dispatch settings of one item type, and write down who did it; no change leaves no trace.
-- In: item_type, enabled (1 or 0), batch_size, dispatch_interval_secs, jitter_window_ms, pre_start_buffer_mins,
--   max_dispatch_retries, stale_claim_threshold_mins, exec_workflow_type, exec_task_queue, actor,
--   reason or null.
-- Out: outcome ('created', 'changed' or 'unchanged').  Uses pk_exec_rate_config.
BEGIN
  dispatch_settings.write_config(
    p_item_type => :item_type, p_enabled => :enabled, p_batch_size => :batch_size,
    p_dispatch_interval_secs => :dispatch_interval_secs, p_jitter_window_ms => :jitter_window_ms,
    p_pre_start_buffer_mins => :pre_start_buffer_mins, p_max_dispatch_retries => :max_dispatch_retries,
    p_stale_claim_threshold_mins => :stale_claim_threshold_mins, p_exec_workflow_type => :exec_workflow_type,
    p_exec_task_queue => :exec_task_queue, p_actor => :actor, p_reason => :reason,
    p_outcome => :outcome);
END;
