-- Record one applied migration, after its last statement: DDL commits by itself, so that the two cannot be one transaction.
-- In: component, version, name, checksum, execution_ms.  Out: nothing.  Uses the primary key.
INSERT INTO sluice_schema_migrations (component, version, name, checksum, execution_ms)
VALUES (:component, :version, :name, :checksum, :execution_ms)
