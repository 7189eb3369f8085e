-- Give back what payments had taken from the limits of their days; one that had taken nothing changes nothing.
-- In: $1 payment_id[].  Out: nothing.  Uses payment_limit_reservations_pkey, participant_limit_usage_pkey.
WITH released AS (
  DELETE FROM payment_limit_reservations WHERE payment_id = ANY ($1::text[])
  RETURNING participant_id, currency, day, minor_units
), given_back AS (
  SELECT participant_id, currency, day, sum(minor_units) AS minor_units, count(*)::integer AS payments
    FROM released
   GROUP BY participant_id, currency, day
)
UPDATE participant_limit_usage u
   SET minor_units = u.minor_units - g.minor_units, payments = u.payments - g.payments
  FROM given_back g
 WHERE u.participant_id = g.participant_id AND u.currency = g.currency AND u.day = g.day
