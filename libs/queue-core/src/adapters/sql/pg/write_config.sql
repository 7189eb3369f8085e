-- Create or change the dispatch settings of one item type, and write down who did it; no change leaves no trace.
-- In: $1 item_type, $2 enabled, $3 batch_size, $4 dispatch_interval_secs, $5 jitter_window_ms, $6 pre_start_buffer_mins,
--   $7 max_dispatch_retries, $8 stale_claim_threshold_mins, $9 exec_workflow_type, $10 exec_task_queue, $11 actor,
--   $12 reason or null.
-- Out: created, one row if anything was written.  Uses exec_rate_config_pkey.
WITH before AS MATERIALIZED (
  SELECT * FROM exec_rate_config WHERE item_type = $1 FOR UPDATE
),
written AS (
  INSERT INTO exec_rate_config AS c (
    item_type, enabled, batch_size, dispatch_interval_secs, jitter_window_ms, pre_start_buffer_mins,
    max_dispatch_retries, stale_claim_threshold_mins, exec_workflow_type, exec_task_queue
  )
  -- The count makes the old row be read and locked before it is changed.
  SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10
    FROM (SELECT count(*) FROM before) AS locked
      ON CONFLICT (item_type) DO UPDATE
     SET enabled = excluded.enabled,
         batch_size = excluded.batch_size,
         dispatch_interval_secs = excluded.dispatch_interval_secs,
         jitter_window_ms = excluded.jitter_window_ms,
         pre_start_buffer_mins = excluded.pre_start_buffer_mins,
         max_dispatch_retries = excluded.max_dispatch_retries,
         stale_claim_threshold_mins = excluded.stale_claim_threshold_mins,
         exec_workflow_type = excluded.exec_workflow_type,
         exec_task_queue = excluded.exec_task_queue,
         updated_at = now()
   WHERE (c.enabled, c.batch_size, c.dispatch_interval_secs, c.jitter_window_ms, c.pre_start_buffer_mins,
          c.max_dispatch_retries, c.stale_claim_threshold_mins, c.exec_workflow_type, c.exec_task_queue)
         IS DISTINCT FROM
         (excluded.enabled, excluded.batch_size, excluded.dispatch_interval_secs, excluded.jitter_window_ms,
          excluded.pre_start_buffer_mins, excluded.max_dispatch_retries, excluded.stale_claim_threshold_mins,
          excluded.exec_workflow_type, excluded.exec_task_queue)
  RETURNING c.*
),
audited AS (
  INSERT INTO dispatch_audit_log (item_type, action, detail, actor)
  SELECT w.item_type, 'CONFIG_CHANGED',
         jsonb_build_object('before', to_jsonb(b) - '{created_at,updated_at}'::text[],
                            'after', to_jsonb(w) - '{created_at,updated_at}'::text[],
                            'reason', $12::text)::text,
         $11::text
    FROM written w
    LEFT JOIN before b USING (item_type)
)
SELECT NOT EXISTS (SELECT FROM before) AS created FROM written;
