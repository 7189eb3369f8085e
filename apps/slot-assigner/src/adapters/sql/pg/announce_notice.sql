-- Tell all nodes that a rate limit has changed, or with an empty payload that none should be remembered.
-- In: config name or ''.  Out: nothing.
select pg_notify('sluice_rate_limit', $1)
