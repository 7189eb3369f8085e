-- Which of these payments were admitted under a limit before.
-- In: $1 payment_id[].  Out: payment_id.  Uses payment_limit_reservations_pkey.
SELECT payment_id FROM payment_limit_reservations WHERE payment_id = ANY ($1::text[])
