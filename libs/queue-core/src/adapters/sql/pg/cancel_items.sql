-- Take READY items out for good, and write down who wanted it and why.
-- In: $1 item_type, $2 item_id[], $3 reason, $4 actor.  Out: item_id of each row changed.  Uses pk_exec_queue.
WITH locked AS MATERIALIZED (
  SELECT item_id
    FROM exec_queue
   WHERE item_type = $1 AND item_id = ANY ($2::text[]) AND queue_status = 'READY'
   ORDER BY item_id
     FOR UPDATE
),
changed AS (
  UPDATE exec_queue q
     SET queue_status = 'CANCELLED',
         retry_after = NULL,
         updated_at = now()
   WHERE q.item_type = $1 AND q.item_id = ANY (ARRAY(SELECT item_id FROM locked)) AND q.queue_status = 'READY'
  RETURNING q.item_id
),
audited AS (
  INSERT INTO dispatch_audit_log (item_type, item_id, action, status_before, status_after, detail, actor)
  SELECT $1, item_id, 'CANCELLED', 'READY', 'CANCELLED', $3::text, $4::text
    FROM changed
)
SELECT item_id FROM changed;
