-- Measure what waits, cheaply: each count stops at a cap, whatever the size of the table.
-- In: item_type, cap.  Out: ready, claimed, exhausted (each at most the cap), oldest_due_seconds.
-- Uses ix_exec_queue_ready.
SELECT (SELECT COUNT(*) FROM exec_queue
         WHERE item_type = :item_type AND queue_status = 'READY' AND ROWNUM <= :cap) AS ready,
       (SELECT COUNT(*) FROM exec_queue
         WHERE item_type = :item_type AND queue_status = 'CLAIMED' AND ROWNUM <= :cap) AS claimed,
       (SELECT COUNT(*) FROM exec_queue
         WHERE item_type = :item_type AND queue_status = 'EXHAUSTED' AND ROWNUM <= :cap) AS exhausted,
       GREATEST(0, NVL(-dispatch_claims.seconds_until(
         (SELECT MIN(scheduled_exec_time) FROM exec_queue
           WHERE item_type = :item_type AND queue_status = 'READY')), 0)) AS oldest_due_seconds
  FROM dual
