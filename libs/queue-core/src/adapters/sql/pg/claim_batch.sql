-- Take up to $3 items of one type under a token: claims that went stale, and READY items that are due.
-- In: $1 item_type, $2 token, $3 limit.
-- Out: item_id, queue_status ('CLAIMED' or 'EXHAUSTED'), reclaimed, retry_count, scheduled_exec_time, ms_until_due,
--   context_json and context_version (null where the context is missing).
-- Uses ix_exec_queue_claimed, ix_exec_queue_ready, pk_exec_context.
--
-- Nothing is taken while the item type is switched off. A lost claim counts as a retry; an item without a retry left is
-- set aside as EXHAUSTED here and never seen again by a claim, so poison cannot pile up in front of the others. Stale
-- claims get half of the limit and READY items the other; what one leaves the other takes, so that neither starves.
-- The legs are CTEs of their own: an OR would lose the ordered early stop of the index, and IN (SELECT ... LIMIT ...
-- FOR UPDATE SKIP LOCKED) may take more rows than the limit. Status is a literal, or the partial index is not used.
WITH config AS MATERIALIZED (
  SELECT max_dispatch_retries,
         now() + make_interval(mins => pre_start_buffer_mins) AS due_before,
         now() - make_interval(mins => stale_claim_threshold_mins) AS stale_before
    FROM exec_rate_config
   WHERE item_type = $1 AND enabled
),
stale AS MATERIALIZED (
  SELECT ctid AS place, dispatch_batch_id AS lost_batch_id
    FROM exec_queue
   WHERE queue_status = 'CLAIMED' AND item_type = $1 AND claimed_at <= (SELECT stale_before FROM config)
   ORDER BY claimed_at
   LIMIT ($3::integer + 1) / 2
     FOR UPDATE SKIP LOCKED
),
ready AS MATERIALIZED (
  -- The inner limit lets the planner see how few rows are wanted; the outer one stops the locking after what is left.
  SELECT place
    FROM (
      SELECT ctid AS place
        FROM exec_queue
       WHERE queue_status = 'READY' AND item_type = $1 AND scheduled_exec_time <= (SELECT due_before FROM config)
         AND (retry_after IS NULL OR retry_after <= now())
       ORDER BY scheduled_exec_time
       LIMIT $3::integer
         FOR UPDATE SKIP LOCKED
    ) AS due
   LIMIT (SELECT $3::integer - count(*) FROM stale)
),
stale_rest AS MATERIALIZED (
  SELECT place, lost_batch_id
    FROM (
      SELECT ctid AS place, dispatch_batch_id AS lost_batch_id
        FROM exec_queue
       WHERE queue_status = 'CLAIMED' AND item_type = $1 AND claimed_at <= (SELECT stale_before FROM config)
         AND ctid NOT IN (SELECT place FROM stale)
       ORDER BY claimed_at
       LIMIT $3::integer
         FOR UPDATE SKIP LOCKED
    ) AS more
   LIMIT (SELECT $3::integer - (SELECT count(*) FROM stale) - (SELECT count(*) FROM ready))
),
picked AS MATERIALIZED (
  SELECT place, lost_batch_id FROM stale
   UNION ALL
  SELECT place, NULL FROM ready
   UNION ALL
  SELECT place, lost_batch_id FROM stale_rest
),
taken AS (
  UPDATE exec_queue q
     SET queue_status = CASE WHEN q.retry_count + (q.queue_status = 'CLAIMED')::integer < config.max_dispatch_retries
                          THEN 'CLAIMED' ELSE 'EXHAUSTED' END,
         dispatch_batch_id = CASE WHEN q.retry_count + (q.queue_status = 'CLAIMED')::integer < config.max_dispatch_retries
                               THEN $2 END,
         claimed_at = CASE WHEN q.retry_count + (q.queue_status = 'CLAIMED')::integer < config.max_dispatch_retries
                        THEN now() END,
         retry_count = q.retry_count + (q.queue_status = 'CLAIMED')::integer,
         last_error = CASE WHEN q.queue_status = 'CLAIMED'
                        THEN 'claim ' || q.dispatch_batch_id || ' went stale' ELSE q.last_error END,
         updated_at = now()
    FROM config, picked
   -- The rows are locked, so they are where they were: found without an index, whatever the statistics say.
   WHERE q.ctid = picked.place
  RETURNING q.item_id, q.queue_status, q.retry_count, q.scheduled_exec_time, q.last_error, picked.lost_batch_id
),
audited AS (
  INSERT INTO dispatch_audit_log (batch_id, item_type, item_id, action, status_before, status_after, detail)
  SELECT lost_batch_id, $1, item_id, 'RECLAIMED', 'CLAIMED', 'CLAIMED', 'taken over by ' || $2
    FROM taken
   WHERE queue_status = 'CLAIMED' AND lost_batch_id IS NOT NULL
   UNION ALL
  SELECT lost_batch_id, $1, item_id, 'EXHAUSTED', CASE WHEN lost_batch_id IS NULL THEN 'READY' ELSE 'CLAIMED' END,
         'EXHAUSTED', last_error
    FROM taken
   WHERE queue_status = 'EXHAUSTED'
   UNION ALL
  SELECT $2, $1, NULL, 'CLAIMED', 'READY', 'CLAIMED', count(*) || ' items'
    FROM taken
   WHERE queue_status = 'CLAIMED'
  HAVING count(*) > 0
)
SELECT t.item_id,
       t.queue_status,
       t.lost_batch_id IS NOT NULL AS reclaimed,
       t.retry_count,
       t.scheduled_exec_time,
       ceil(date_part('epoch', t.scheduled_exec_time - clock_timestamp()) * 1000) AS ms_until_due,
       c.context_json,
       c.context_version
  FROM taken t
  LEFT JOIN exec_context c ON c.item_type = $1 AND c.item_id = t.item_id
 ORDER BY t.scheduled_exec_time;
