-- Show one item as it stands.
-- In: $1 item_type, $2 item_id.  Out: the columns of exec_queue.  Uses pk_exec_queue.
SELECT item_type, item_id, queue_status, scheduled_exec_time, init_workflow_id, dispatch_batch_id, exec_workflow_id,
       claimed_at, dispatched_at, retry_count, retry_after, last_error, created_at, updated_at
  FROM exec_queue
 WHERE item_type = $1 AND item_id = $2;
