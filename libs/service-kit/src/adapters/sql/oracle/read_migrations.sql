-- Read the whole ledger.
-- In: nothing.  Out: COMPONENT, VERSION, NAME, CHECKSUM, APPLIED_AT (ISO text in UTC).  Some dozens of rows, no index needed.
SELECT component,
       version,
       name,
       checksum,
       TO_CHAR(applied_at, 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS applied_at
  FROM sluice_schema_migrations
 ORDER BY component, version
