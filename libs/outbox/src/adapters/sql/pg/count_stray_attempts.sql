-- How many attempts are in no month's partition; counts no further than a limit.
-- In: the limit.  Out: one row.  Reads the default partition, which is empty when partitions are made in time.
SELECT count(*) AS strays FROM (SELECT 1 FROM payment_outbox_attempts_default LIMIT $1::INT) d
