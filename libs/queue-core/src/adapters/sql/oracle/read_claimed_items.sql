-- Read what a claim has just taken, with the contexts: a PL/SQL call can return no list of CLOBs.
-- In: item_type, token, claimed_at (as claim_batch gave it).
-- Out: item_id, retry_count, scheduled_exec_time, ms_until_due, context_json and context_version (null where the context is
--   missing), those due longest first.  Uses ix_exec_queue_claimed, pk_exec_context.
SELECT q.item_id,
       q.retry_count,
       FROM_TZ(q.scheduled_exec_time, '+00:00') AS scheduled_exec_time,
       CEIL(dispatch_claims.seconds_until(q.scheduled_exec_time) * 1000) AS ms_until_due,
       c.context_json,
       c.context_version
  FROM exec_queue q
  LEFT JOIN exec_context c ON c.item_type = q.item_type AND c.item_id = q.item_id
 WHERE q.item_type = :item_type
   AND q.queue_status = 'CLAIMED'
   AND q.claimed_at = TO_TIMESTAMP(:claimed_at, 'YYYY-MM-DD"T"HH24:MI:SS.FF6')
   AND q.dispatch_batch_id = :token
 ORDER BY q.scheduled_exec_time
