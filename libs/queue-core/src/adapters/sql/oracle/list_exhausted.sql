-- List items that were set aside, those that wait longest first.
-- In: item_type, error_part (text that the last error contains) or null, exhausted_from or null, exhausted_before or null,
--   after_at (text, to the microsecond) and after_id of the last row of the page before, or null, max_rows.
-- Out: item_id, scheduled_exec_time, init_workflow_id, retry_count, last_error, exhausted_at, cursor_at (the same to the
--   microsecond, which a date of the caller cannot hold).  Uses ix_exec_queue_settled.
-- Ids are compared as they are sorted, whatever the language of the session.
SELECT item_id,
       FROM_TZ(scheduled_exec_time, '+00:00') AS scheduled_exec_time,
       init_workflow_id,
       retry_count,
       last_error,
       FROM_TZ(settled_at, '+00:00') AS exhausted_at,
       TO_CHAR(settled_at, 'YYYY-MM-DD"T"HH24:MI:SS.FF6"Z"') AS cursor_at
  FROM exec_queue
 WHERE settled_type = :item_type AND settled_status = 'EXHAUSTED'
   AND settled_at >= NVL(SYS_EXTRACT_UTC(:exhausted_from), TIMESTAMP '0001-01-01 00:00:00')
   AND settled_at < NVL(SYS_EXTRACT_UTC(:exhausted_before), TIMESTAMP '9999-12-31 00:00:00')
   AND (:after_at IS NULL
        OR settled_at > TO_TIMESTAMP(:after_at, 'YYYY-MM-DD"T"HH24:MI:SS.FF6"Z"')
        OR (settled_at = TO_TIMESTAMP(:after_at, 'YYYY-MM-DD"T"HH24:MI:SS.FF6"Z"')
            AND NLSSORT(item_id, 'NLS_SORT = BINARY') > NLSSORT(:after_id, 'NLS_SORT = BINARY')))
   AND (:error_part IS NULL OR INSTR(last_error, :error_part) > 0)
 ORDER BY settled_at, NLSSORT(item_id, 'NLS_SORT = BINARY')
 FETCH FIRST :max_rows ROWS ONLY
