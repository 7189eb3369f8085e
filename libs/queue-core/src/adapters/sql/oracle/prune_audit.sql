-- Remove audit rows past their age, oldest ids first; what another transaction holds is left for the next time.
-- In: min_age_seconds, max_rows.  Out: removed.  Uses pk_dispatch_audit_log.
BEGIN
  dispatch_retention.prune_audit(
    p_min_age_seconds => :min_age_seconds, p_max_rows => :max_rows, p_removed => :removed);
END;
