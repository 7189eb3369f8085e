-- Set aside claimed items that no retry can help; an operator decides about them.
-- In: $1 item_type, $2 token, $3 item_id[], $4 error[].  Out: item_id of each row changed.  Uses pk_exec_queue.
WITH changed AS (
  UPDATE exec_queue q
     SET queue_status = 'EXHAUSTED',
         last_error = i.error,
         dispatch_batch_id = NULL,
         claimed_at = NULL,
         updated_at = now()
    FROM unnest($3::text[], $4::text[]) AS i (item_id, error)
   WHERE q.item_type = $1 AND q.item_id = i.item_id
     AND q.queue_status = 'CLAIMED' AND q.dispatch_batch_id = $2
  RETURNING q.item_id, q.last_error
),
audited AS (
  INSERT INTO dispatch_audit_log (batch_id, item_type, item_id, action, status_before, status_after, detail)
  SELECT $2, $1, item_id, 'EXHAUSTED', 'CLAIMED', 'EXHAUSTED', last_error
    FROM changed
)
SELECT item_id FROM changed;
