-- List items that were set aside, those that wait longest first.
-- In: $1 item_type, $2 text that the last error contains or null, $3 set aside from or null, $4 set aside before or null,
--   $5 cursor_at and $6 item_id of the last row of the page before, or null, $7 limit.
-- Out: item_id, scheduled_exec_time, init_workflow_id, retry_count, last_error, exhausted_at, cursor_at (the same to the
--   microsecond, which a date of the caller cannot hold).  Uses ix_exec_queue_exhausted.
SELECT item_id,
       scheduled_exec_time,
       init_workflow_id,
       retry_count,
       last_error,
       updated_at AS exhausted_at,
       to_char(updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS cursor_at
  FROM exec_queue
 WHERE queue_status = 'EXHAUSTED' AND item_type = $1
   AND updated_at >= coalesce($3::timestamptz, '-infinity') AND updated_at < coalesce($4::timestamptz, 'infinity')
   AND (updated_at, item_id) > (coalesce($5::timestamptz, '-infinity'), coalesce($6::text, ''))
   AND ($2::text IS NULL OR strpos(last_error, $2::text) > 0)
 ORDER BY updated_at, item_id
 LIMIT $7::integer;
