-- Count READY items by the minute they are due in. It jumps from one minute that has items to the next and reads at most
-- a cap of each, so that a minute with half a million costs no more than one with the cap.
-- In: $1 item_type, $2 first instant or null for the oldest item, $3 most minutes, $4 cap of one minute.
-- Out: minute, ready (more than the cap means: at least the cap).  Uses ix_exec_queue_ready.
WITH RECURSIVE minutes AS (
  SELECT date_trunc('minute', (
           SELECT scheduled_exec_time FROM exec_queue
            WHERE queue_status = 'READY' AND item_type = $1
              AND scheduled_exec_time >= coalesce(date_trunc('minute', $2::timestamptz, 'UTC'), '-infinity')
            ORDER BY scheduled_exec_time LIMIT 1), 'UTC') AS minute,
         1 AS position
   UNION ALL
  SELECT date_trunc('minute', (
           SELECT scheduled_exec_time FROM exec_queue
            WHERE queue_status = 'READY' AND item_type = $1 AND scheduled_exec_time >= m.minute + interval '1 minute'
            ORDER BY scheduled_exec_time LIMIT 1), 'UTC'),
         m.position + 1
    FROM minutes m
   WHERE m.minute IS NOT NULL AND m.position < $3::integer
)
SELECT m.minute, due.ready
  FROM minutes m
 CROSS JOIN LATERAL (
   SELECT count(*)::integer AS ready
     FROM (
       SELECT FROM exec_queue
        WHERE queue_status = 'READY' AND item_type = $1
          AND scheduled_exec_time >= m.minute AND scheduled_exec_time < m.minute + interval '1 minute'
        LIMIT $4::integer + 1
     ) AS counted
 ) AS due
 WHERE m.minute IS NOT NULL
 ORDER BY m.minute;
