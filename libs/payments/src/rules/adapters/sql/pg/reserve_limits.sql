-- Take payments from the limits of their days; one that was taken before counts once.
-- In: $1 payment_id[], $2 participant_id[], $3 currency[], $4 day[], $5 minor_units[].  Out: nothing.
-- Uses payment_limit_reservations_pkey, participant_limit_usage_pkey; the caller holds the rows of usage.
WITH reserved AS (
  INSERT INTO payment_limit_reservations (payment_id, participant_id, currency, day, minor_units)
  SELECT *
    FROM unnest($1::text[], $2::text[], $3::text[], $4::date[], $5::bigint[])
   ORDER BY 1
      ON CONFLICT (payment_id) DO NOTHING
  RETURNING participant_id, currency, day, minor_units
), taken AS (
  SELECT participant_id, currency, day, sum(minor_units) AS minor_units, count(*)::integer AS payments
    FROM reserved
   GROUP BY participant_id, currency, day
)
UPDATE participant_limit_usage u
   SET minor_units = u.minor_units + t.minor_units, payments = u.payments + t.payments
  FROM taken t
 WHERE u.participant_id = t.participant_id AND u.currency = t.currency AND u.day = t.day
