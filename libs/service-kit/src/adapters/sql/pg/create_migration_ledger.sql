-- Create the ledger of applied migrations where it is missing. Runs under the migration lock only.
-- In: nothing.  Out: nothing.
CREATE TABLE IF NOT EXISTS sluice_schema_migrations (
  component    text        NOT NULL,
  version      integer     NOT NULL CHECK (version > 0),
  name         text        NOT NULL,
  checksum     text        NOT NULL,
  applied_at   timestamptz NOT NULL DEFAULT now(),
  execution_ms bigint      NOT NULL,
  PRIMARY KEY (component, version)
)
