-- Keep other migration runners out until this session ends; waits as long as lock_timeout allows.
-- In: nothing.  Out: nothing.  The two numbers are arbitrary and ours: "slui", "migr".
SELECT pg_advisory_lock(1936487785, 1835624306)
