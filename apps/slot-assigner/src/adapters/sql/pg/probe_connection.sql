-- See whether the listening connection still has another end; a dead peer sends no notices and no error either.
-- In: nothing.  Out: one row.
select 1
