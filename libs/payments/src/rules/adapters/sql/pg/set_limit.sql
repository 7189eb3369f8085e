-- Set the limit of a participant in a currency, and write down who did.
-- In: $1 participant_id, $2 currency, $3 per_payment_minor_units, $4 per_day_minor_units, $5 per_day_payments, $6 by.  Out: nothing.
-- Uses participant_limits_pkey.
WITH changed AS (
  INSERT INTO participant_limits AS l
         (participant_id, currency, per_payment_minor_units, per_day_minor_units, per_day_payments, updated_by)
  VALUES ($1::text, $2::text, $3::bigint, $4::bigint, $5::integer, $6::text)
      ON CONFLICT (participant_id, currency) DO UPDATE
     SET per_payment_minor_units = excluded.per_payment_minor_units,
         per_day_minor_units = excluded.per_day_minor_units,
         per_day_payments = excluded.per_day_payments,
         updated_by = excluded.updated_by,
         updated_at = now()
   WHERE (l.per_payment_minor_units, l.per_day_minor_units, l.per_day_payments)
         IS DISTINCT FROM (excluded.per_payment_minor_units, excluded.per_day_minor_units, excluded.per_day_payments)
  RETURNING *
)
INSERT INTO participant_limit_changes
       (participant_id, currency, per_payment_minor_units, per_day_minor_units, per_day_payments, changed_by)
SELECT participant_id, currency, per_payment_minor_units, per_day_minor_units, per_day_payments, updated_by FROM changed
