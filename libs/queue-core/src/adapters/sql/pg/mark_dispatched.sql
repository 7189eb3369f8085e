-- Finish items whose exec workflow exists, if this claim still holds them.
-- In: $1 item_type, $2 token, $3 item_id[], $4 exec_workflow_id[], $5 action[] ('DISPATCHED' or 'ALREADY_STARTED').
-- Out: item_id of each row changed.  Uses pk_exec_queue.
WITH changed AS (
  UPDATE exec_queue q
     SET queue_status = 'DISPATCHED',
         exec_workflow_id = i.exec_workflow_id,
         dispatched_at = now(),
         last_error = NULL,
         updated_at = now()
    FROM unnest($3::text[], $4::text[], $5::text[]) AS i (item_id, exec_workflow_id, action)
   WHERE q.item_type = $1 AND q.item_id = i.item_id
     AND q.queue_status = 'CLAIMED' AND q.dispatch_batch_id = $2
  RETURNING q.item_id, i.exec_workflow_id, i.action
),
audited AS (
  INSERT INTO dispatch_audit_log (batch_id, item_type, item_id, action, status_before, status_after, detail)
  SELECT $2, $1, item_id, action, 'CLAIMED', 'DISPATCHED', exec_workflow_id
    FROM changed
)
SELECT item_id FROM changed;
