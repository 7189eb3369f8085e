-- Let items that were set aside wait again, with all their retries, and write down who wanted it and why.
-- In: $1 item_type, $2 item_id[], $3 reason, $4 actor.  Out: item_id of each row changed.  Uses pk_exec_queue.
-- The last error stays until the item is dispatched: it is what the operator wanted to be rid of.
WITH locked AS MATERIALIZED (
  -- In the order of the key, so that two operators with the same items wait for each other and never in a circle.
  SELECT item_id
    FROM exec_queue
   WHERE item_type = $1 AND item_id = ANY ($2::text[]) AND queue_status = 'EXHAUSTED'
   ORDER BY item_id
     FOR UPDATE
),
changed AS (
  UPDATE exec_queue q
     SET queue_status = 'READY',
         retry_count = 0,
         retry_after = NULL,
         updated_at = now()
   WHERE q.item_type = $1 AND q.item_id = ANY (ARRAY(SELECT item_id FROM locked)) AND q.queue_status = 'EXHAUSTED'
  RETURNING q.item_id
),
audited AS (
  INSERT INTO dispatch_audit_log (item_type, item_id, action, status_before, status_after, detail, actor)
  SELECT $1, item_id, 'REQUEUED', 'EXHAUSTED', 'READY', $3::text, $4::text
    FROM changed
)
SELECT item_id FROM changed;
