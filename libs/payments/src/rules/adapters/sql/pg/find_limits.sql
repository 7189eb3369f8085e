-- The limit of each account: the participant's own in the currency, else the one for everybody.
-- In: $1 participant_id[], $2 currency[]; no pair twice.  Out: one row an account that has a limit.  Uses participant_limits_pkey.
SELECT g.participant_id, g.currency, l.per_payment_minor_units, l.per_day_minor_units, l.per_day_payments
  FROM unnest($1::text[], $2::text[]) AS g (participant_id, currency)
 CROSS JOIN LATERAL (
   SELECT *
     FROM participant_limits p
    WHERE p.currency = g.currency AND p.participant_id IN (g.participant_id, '*')
    ORDER BY p.participant_id = '*'
    LIMIT 1
 ) l
