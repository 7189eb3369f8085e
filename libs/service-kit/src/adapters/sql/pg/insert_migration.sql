-- Record one applied migration, in the transaction that applied it.
-- In: component, version, name, checksum, execution_ms.  Out: nothing.  Uses the primary key.
INSERT INTO sluice_schema_migrations (component, version, name, checksum, execution_ms)
VALUES ($1, $2, $3, $4, $5)
