-- Finish items whose exec workflow exists, if this claim still holds them.
-- In: $1 item_type, $2 token, $3 item_id[], $4 exec_workflow_id[], $5 action[] ('DISPATCHED' or 'ALREADY_STARTED').
-- Out: item_id of each row changed.  Uses pk_exec_queue.
--
-- Each row is looked up by its key, locked and then checked. As a plain join the planner, whose statistics know of no
-- claimed rows, reads all of ix_exec_queue_claimed instead, with the dead entries of every claim since the last vacuum.
WITH held AS MATERIALIZED (
  SELECT found.place, i.exec_workflow_id, i.action
    FROM unnest($3::text[], $4::text[], $5::text[]) AS i (item_id, exec_workflow_id, action)
   CROSS JOIN LATERAL (
     SELECT q.ctid AS place, q.queue_status, q.dispatch_batch_id
       FROM exec_queue q
      WHERE q.item_type = $1 AND q.item_id = i.item_id
     OFFSET 0
        FOR UPDATE
   ) AS found
   WHERE found.queue_status = 'CLAIMED' AND found.dispatch_batch_id = $2
),
changed AS (
  UPDATE exec_queue q
     SET queue_status = 'DISPATCHED',
         exec_workflow_id = held.exec_workflow_id,
         dispatched_at = now(),
         last_error = NULL,
         updated_at = now()
    FROM held
   WHERE q.ctid = held.place
  RETURNING q.item_id, q.exec_workflow_id, held.action
),
audited AS (
  INSERT INTO dispatch_audit_log (batch_id, item_type, item_id, action, status_before, status_after, detail)
  SELECT $2, $1, item_id, action, 'CLAIMED', 'DISPATCHED', exec_workflow_id
    FROM changed
)
SELECT item_id FROM changed;
