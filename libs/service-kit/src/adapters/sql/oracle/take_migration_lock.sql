-- Keep other migration runners out until this session rolls back or ends; ORA-30006 after a minute of waiting.
-- The session that holds the row must run no DDL, which would commit and so release it.
-- In: nothing.  Out: id.  Uses the primary key.
SELECT id FROM sluice_schema_lock WHERE id = 1 FOR UPDATE WAIT 60
