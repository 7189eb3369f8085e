-- Save contexts and their queue rows, all or nothing; what is there already stays as it is.
-- In: $1 item_type[], $2 item_id[], $3 context_json[], $4 context_version[], $5 scheduled_exec_time[], $6 init_workflow_id[]; no key twice.
-- Out: item_type, item_id, outcome: 'enqueued', 'duplicate' (same context), 'conflict' (another context), or 'unseen': a row
--   that another transaction committed while this statement ran; ask again with compare_contexts.
-- Uses pk_exec_context, pk_exec_queue.
WITH input AS MATERIALIZED (
  SELECT *
    FROM unnest($1::text[], $2::text[], $3::text[], $4::integer[], $5::timestamptz[], $6::text[])
      AS i (item_type, item_id, context_json, context_version, scheduled_exec_time, init_workflow_id)
),
saved AS (
  INSERT INTO exec_context (item_type, item_id, context_json, context_version)
  SELECT item_type, item_id, context_json, context_version
    FROM input
   -- In the order of the key, so that two callers with the same items wait for each other and never in a circle.
   ORDER BY item_type, item_id
      ON CONFLICT (item_type, item_id) DO NOTHING
  RETURNING item_type, item_id
),
queued AS (
  INSERT INTO exec_queue (item_type, item_id, scheduled_exec_time, init_workflow_id)
  SELECT i.item_type, i.item_id, i.scheduled_exec_time, i.init_workflow_id
    FROM input i
    JOIN saved USING (item_type, item_id)
      ON CONFLICT (item_type, item_id) DO NOTHING
  RETURNING item_type, item_id, init_workflow_id
),
audited AS (
  INSERT INTO dispatch_audit_log (item_type, item_id, action, status_after, detail)
  SELECT item_type, item_id, 'ENQUEUED', 'READY', 'by ' || init_workflow_id
    FROM queued
)
SELECT i.item_type,
       i.item_id,
       CASE
         WHEN q.item_id IS NOT NULL THEN 'enqueued'
         WHEN s.item_id IS NOT NULL THEN 'duplicate'
         WHEN c.item_id IS NULL THEN 'unseen'
         WHEN c.context_json = i.context_json AND c.context_version = i.context_version THEN 'duplicate'
         ELSE 'conflict'
       END AS outcome
  FROM input i
  LEFT JOIN queued q USING (item_type, item_id)
  LEFT JOIN saved s USING (item_type, item_id)
  LEFT JOIN exec_context c USING (item_type, item_id);
