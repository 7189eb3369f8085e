-- Measure what waits, cheaply: each count stops at a cap, whatever the size of the table.
-- In: $1 item_type, $2 cap.  Out: ready, claimed, exhausted (each at most the cap), oldest_due_seconds.
-- Uses ix_exec_queue_ready, ix_exec_queue_claimed, ix_exec_queue_exhausted.
SELECT (SELECT count(*)::integer FROM (
          SELECT FROM exec_queue WHERE queue_status = 'READY' AND item_type = $1 LIMIT $2::integer) AS r) AS ready,
       (SELECT count(*)::integer FROM (
          SELECT FROM exec_queue WHERE queue_status = 'CLAIMED' AND item_type = $1 LIMIT $2::integer) AS c) AS claimed,
       (SELECT count(*)::integer FROM (
          SELECT FROM exec_queue WHERE queue_status = 'EXHAUSTED' AND item_type = $1 LIMIT $2::integer) AS e) AS exhausted,
       coalesce(greatest(0, extract(epoch FROM now() - (
          SELECT scheduled_exec_time FROM exec_queue
           WHERE queue_status = 'READY' AND item_type = $1
           ORDER BY scheduled_exec_time LIMIT 1))), 0)::float8 AS oldest_due_seconds;
