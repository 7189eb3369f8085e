-- Read the dispatch settings of one item type, or of all.
-- In: $1 item_type or null.  Out: the columns of exec_rate_config.  Uses exec_rate_config_pkey.
SELECT item_type, enabled, batch_size, dispatch_interval_secs, jitter_window_ms, pre_start_buffer_mins,
       max_dispatch_retries, stale_claim_threshold_mins, exec_workflow_type, exec_task_queue, updated_at
  FROM exec_rate_config
 WHERE $1::text IS NULL OR item_type = $1::text
 ORDER BY item_type;
