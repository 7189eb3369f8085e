-- Note what an operator says about the circuit of a rail, with its audit row.
-- In: $1 rail, $2 mode, $3 reason, $4 set_by.  Out: the row as it stands.  Uses rail_circuit_modes_pkey.
-- Of two at once the second waits in the INSERT; its audit row may name the mode before the first one's, never a wrong one after.
WITH before AS (
  SELECT mode FROM rail_circuit_modes WHERE rail = $1::text
), noted AS (
  INSERT INTO rail_circuit_modes (rail, mode, reason, set_by)
  VALUES ($1::text, $2::text, $3::text, $4::text)
  ON CONFLICT (rail) DO UPDATE
    SET mode = excluded.mode, reason = excluded.reason, set_by = excluded.set_by, set_at = clock_timestamp()
  RETURNING rail, mode, reason, set_by, set_at
), audited AS (
  INSERT INTO rail_circuit_changes (rail, mode_before, mode_after, reason, changed_by)
  SELECT rail, (SELECT mode FROM before), mode, reason, set_by FROM noted
)
SELECT rail, mode, reason, set_by, set_at FROM noted
