-- Tell the status of some items.
-- In: $1 item_type, $2 item_id[].  Out: item_id, queue_status of each that exists.  Uses pk_exec_queue.
SELECT item_id, queue_status
  FROM exec_queue
 WHERE item_type = $1 AND item_id = ANY ($2::text[]);
