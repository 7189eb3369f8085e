-- Remove audit rows past their age, oldest ids first; what another transaction holds is left for the next time.
-- In: $1 least age in seconds, $2 limit.  Out: removed.  Uses dispatch_audit_log_pkey.
-- Ids grow with time, so that age needs no index on the table that is written most. Sessions draw ids in blocks, so that
-- a few young rows may stand in front of old ones: it looks past them, and never at more than ten times the limit.
WITH front AS MATERIALIZED (
  SELECT audit_id, created_at
    FROM dispatch_audit_log
   ORDER BY audit_id
   LIMIT $2::bigint * 10
),
old AS MATERIALIZED (
  SELECT audit_id
    FROM dispatch_audit_log
   WHERE audit_id = ANY (ARRAY(
           SELECT audit_id FROM front
            WHERE created_at <= now() - make_interval(secs => $1::float8)
            ORDER BY audit_id
            LIMIT $2::integer))
     FOR UPDATE SKIP LOCKED
),
gone AS (
  DELETE FROM dispatch_audit_log
   WHERE audit_id = ANY (ARRAY(SELECT audit_id FROM old))
  RETURNING audit_id
)
SELECT count(*)::integer AS removed FROM gone;
