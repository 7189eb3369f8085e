-- What operators said about the circuit of one rail, newest first.
-- In: $1 rail, $2 limit.  Out: one row a change.  Uses ix_rail_circuit_changes_rail.
SELECT mode_before, mode_after, reason, changed_by, changed_at
  FROM rail_circuit_changes
 WHERE rail = $1
 ORDER BY change_id DESC
 LIMIT $2
