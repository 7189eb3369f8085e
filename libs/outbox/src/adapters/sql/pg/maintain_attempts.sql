-- Make the partitions of the months to come and drop those that are too old.
-- In: months ahead, months to keep or NULL.  Out: change (created | dropped), partition_name.
SELECT change, partition_name FROM payment_outbox_maintain_attempts($1::INT, $2::INT)
