-- What operators last said about the circuits of the rails.
-- In: nothing.  Out: a row for each rail about which anything was said.  Reads the whole table: one row a rail.
SELECT rail, mode, reason, set_by, set_at FROM rail_circuit_modes
