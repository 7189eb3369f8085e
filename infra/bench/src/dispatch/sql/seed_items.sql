-- Fill the queue with items in one state, as if each had come by itself: row, context and audit trail.
-- In: $1 item_type, $2 a name for these items, $3 how many, $4 queue_status, $5 when the first is due (the others follow
--   a millisecond after each other), $6 context_json.  Out: nothing.
-- Ids are in no order, as those of producers are: neighbours in time are no neighbours in the index of the key.
WITH input AS MATERIALIZED (
  SELECT md5($2::text || n) AS item_id, $5::timestamptz + n * interval '1 millisecond' AS due
    FROM generate_series(1, $3::integer) AS n
),
queued AS (
  INSERT INTO exec_queue (item_type, item_id, queue_status, scheduled_exec_time, init_workflow_id,
                          dispatch_batch_id, claimed_at, exec_workflow_id, dispatched_at)
  SELECT $1, item_id, $4, due, 'init-' || item_id,
         CASE WHEN $4 IN ('CLAIMED', 'DISPATCHED') THEN 'seed-' || $2 END,
         CASE WHEN $4 IN ('CLAIMED', 'DISPATCHED') THEN due END,
         CASE WHEN $4 = 'DISPATCHED' THEN 'exec-' || item_id END,
         CASE WHEN $4 = 'DISPATCHED' THEN due END
    FROM input
),
saved AS (
  INSERT INTO exec_context (item_type, item_id, context_json, context_version)
  SELECT $1, item_id, $6, 1
    FROM input
)
INSERT INTO dispatch_audit_log (item_type, item_id, action, status_after, detail)
SELECT $1, item_id, 'ENQUEUED', 'READY', 'by init-' || item_id
  FROM input
 UNION ALL
SELECT $1, item_id, 'DISPATCHED', 'DISPATCHED', 'exec-' || item_id
  FROM input
 WHERE $4 = 'DISPATCHED';
