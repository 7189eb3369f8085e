-- Count what retention has not removed yet; each count stops at a cap, whatever the size of the table.
-- In: $1 item_type, $2 cap.  Out: dispatched, cancelled (each at most the cap).
-- Uses ix_exec_queue_dispatched, ix_exec_queue_cancelled.
SELECT (SELECT count(*)::integer FROM (
          SELECT FROM exec_queue WHERE queue_status = 'DISPATCHED' AND item_type = $1 LIMIT $2::integer) AS d) AS dispatched,
       (SELECT count(*)::integer FROM (
          SELECT FROM exec_queue WHERE queue_status = 'CANCELLED' AND item_type = $1 LIMIT $2::integer) AS c) AS cancelled;
