-- Find out whether the listening connection still lives: a dead socket raises no event by itself.
-- In: nothing.  Out: one row.
SELECT 1 AS alive
