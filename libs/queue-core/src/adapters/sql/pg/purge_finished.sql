-- Remove items that were finished long ago, with their contexts; what another transaction holds is left for the next time.
-- In: $1 item_type, $2 least age in seconds, $3 limit.  Out: items, contexts (how many rows went).
-- Uses ix_exec_queue_dispatched, ix_exec_queue_cancelled, pk_exec_queue, pk_exec_context.
WITH dispatched AS MATERIALIZED (
  SELECT item_id
    FROM exec_queue
   WHERE queue_status = 'DISPATCHED' AND item_type = $1 AND updated_at <= now() - make_interval(secs => $2::float8)
   ORDER BY updated_at
   LIMIT $3::integer
     FOR UPDATE SKIP LOCKED
),
cancelled AS MATERIALIZED (
  SELECT item_id
    FROM (
      SELECT item_id
        FROM exec_queue
       WHERE queue_status = 'CANCELLED' AND item_type = $1 AND updated_at <= now() - make_interval(secs => $2::float8)
       ORDER BY updated_at
       LIMIT $3::integer
         FOR UPDATE SKIP LOCKED
    ) AS old
   LIMIT (SELECT $3::integer - count(*) FROM dispatched)
),
gone AS (
  DELETE FROM exec_queue
   WHERE item_type = $1
     AND item_id = ANY (ARRAY(SELECT item_id FROM dispatched UNION ALL SELECT item_id FROM cancelled))
     AND queue_status IN ('DISPATCHED', 'CANCELLED')
  RETURNING item_id
),
contexts AS (
  DELETE FROM exec_context
   WHERE item_type = $1 AND item_id = ANY (ARRAY(SELECT item_id FROM gone))
  RETURNING item_id
),
audited AS (
  INSERT INTO dispatch_audit_log (item_type, action, detail)
  SELECT $1, 'PURGED', count(*) || ' items' FROM gone HAVING count(*) > 0
)
SELECT (SELECT count(*)::integer FROM gone) AS items, (SELECT count(*)::integer FROM contexts) AS contexts;
