-- Read the dispatch settings of one item type, or of all.
-- In: item_type or null.  Out: the columns of exec_rate_config.  Uses pk_exec_rate_config.
SELECT item_type, enabled, batch_size, dispatch_interval_secs, jitter_window_ms, pre_start_buffer_mins,
       max_dispatch_retries, stale_claim_threshold_mins, exec_workflow_type, exec_task_queue,
       FROM_TZ(updated_at, '+00:00') AS updated_at
  FROM exec_rate_config
 WHERE :item_type IS NULL OR item_type = :item_type
 ORDER BY item_type
