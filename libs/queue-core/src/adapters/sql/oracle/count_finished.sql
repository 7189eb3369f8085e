-- Count what retention has not removed yet; each count stops at a cap, whatever the size of the table.
-- In: item_type, cap.  Out: dispatched, cancelled (each at most the cap).  Uses ix_exec_queue_settled.
SELECT (SELECT COUNT(*) FROM exec_queue
         WHERE settled_type = :item_type AND settled_status = 'DISPATCHED' AND ROWNUM <= :cap) AS dispatched,
       (SELECT COUNT(*) FROM exec_queue
         WHERE settled_type = :item_type AND settled_status = 'CANCELLED' AND ROWNUM <= :cap) AS cancelled
  FROM dual
