-- Give back items for a reason that is not their own; no retry is counted, the reason is kept.
-- In: $1 item_type, $2 token, $3 item_id[], $4 reason.  Out: item_id of each row changed.  Uses pk_exec_queue.
WITH changed AS (
  UPDATE exec_queue q
     SET queue_status = 'READY',
         dispatch_batch_id = NULL,
         last_error = $4::text,
         claimed_at = NULL,
         updated_at = now()
   WHERE q.item_type = $1 AND q.item_id = ANY ($3::text[])
     AND q.queue_status = 'CLAIMED' AND q.dispatch_batch_id = $2
  RETURNING q.item_id
),
audited AS (
  INSERT INTO dispatch_audit_log (batch_id, item_type, item_id, action, status_before, status_after, detail)
  SELECT $2, $1, item_id, 'RELEASED', 'CLAIMED', 'READY', $4::text
    FROM changed
)
SELECT item_id FROM changed;
