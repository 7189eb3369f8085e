-- Show one item as it stands.
-- In: item_type, item_id.  Out: the columns of exec_queue.  Uses pk_exec_queue.
SELECT item_type, item_id, queue_status, init_workflow_id, dispatch_batch_id, exec_workflow_id, retry_count, last_error,
       FROM_TZ(scheduled_exec_time, '+00:00') AS scheduled_exec_time,
       FROM_TZ(claimed_at, '+00:00') AS claimed_at,
       FROM_TZ(dispatched_at, '+00:00') AS dispatched_at,
       FROM_TZ(retry_after, '+00:00') AS retry_after,
       FROM_TZ(created_at, '+00:00') AS created_at,
       FROM_TZ(updated_at, '+00:00') AS updated_at
  FROM exec_queue
 WHERE item_type = :item_type AND item_id = :item_id
