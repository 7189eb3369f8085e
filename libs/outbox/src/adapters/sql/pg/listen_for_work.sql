-- Subscribe this connection to hints.
-- In: nothing.  Out: nothing.  The channel is the one of announce_work.sql.
LISTEN outbox_pending
