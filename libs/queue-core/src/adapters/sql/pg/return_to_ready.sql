-- Give back items whose start failed: READY with one more retry counted, or EXHAUSTED after the last one. The next try
-- waits for a cycle, then two, four and so on up to five minutes, a quarter more or less: without the wait an item that
-- fails at once would use up its retries within one cycle.
-- In: $1 item_type, $2 token, $3 item_id[], $4 error[].  Out: item_id, queue_status of each row changed.  Uses pk_exec_queue.
WITH changed AS (
  UPDATE exec_queue q
     SET queue_status = CASE WHEN q.retry_count + 1 < c.max_dispatch_retries THEN 'READY' ELSE 'EXHAUSTED' END,
         retry_count = q.retry_count + 1,
         retry_after = now() + make_interval(
           secs => least(300, c.dispatch_interval_secs * power(2, least(q.retry_count, 10))) * (0.75 + random() / 2)),
         last_error = i.error,
         dispatch_batch_id = NULL,
         claimed_at = NULL,
         updated_at = now()
    FROM unnest($3::text[], $4::text[]) AS i (item_id, error)
   CROSS JOIN exec_rate_config c
   WHERE c.item_type = $1
     AND q.item_type = $1 AND q.item_id = i.item_id
     AND q.queue_status = 'CLAIMED' AND q.dispatch_batch_id = $2
  RETURNING q.item_id, q.queue_status, q.last_error
),
audited AS (
  INSERT INTO dispatch_audit_log (batch_id, item_type, item_id, action, status_before, status_after, detail)
  SELECT $2, $1, item_id, CASE queue_status WHEN 'READY' THEN 'DISPATCH_FAILED' ELSE 'EXHAUSTED' END,
         'CLAIMED', queue_status, last_error
    FROM changed
)
SELECT item_id, queue_status FROM changed;
