-- Read the whole ledger.
-- In: nothing.  Out: component, version, name, checksum, applied_at (ISO text in UTC).  Some dozens of rows, no index needed.
SELECT component,
       version,
       name,
       checksum,
       to_char(applied_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS applied_at
  FROM sluice_schema_migrations
 ORDER BY component, version
