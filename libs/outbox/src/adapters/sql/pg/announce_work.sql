-- Tell listening relays that there may be work. Runs in a transaction of its own: commits that notify wait for each other.
-- In: nothing.  Out: nothing of use.  The channel is outbox_pending.
SELECT pg_notify('outbox_pending', '')
