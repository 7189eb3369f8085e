-- The limits of one participant, or those for everybody, by currency.
-- In: $1 participant_id.  Out: one row a currency.  Uses participant_limits_pkey.
SELECT participant_id, currency, per_payment_minor_units, per_day_minor_units, per_day_payments, updated_at, updated_by
  FROM participant_limits
 WHERE participant_id = $1
 ORDER BY currency
