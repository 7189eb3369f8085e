-- How much of these days is taken; nobody else takes from them until the transaction ends.
-- In: $1 participant_id[], $2 currency[], $3 day[].  Out: one row a day.  Uses participant_limit_usage_pkey.
SELECT u.participant_id, u.currency, to_char(u.day, 'YYYY-MM-DD') AS day, u.minor_units, u.payments
  FROM participant_limit_usage u
  JOIN unnest($1::text[], $2::text[], $3::date[]) AS g (participant_id, currency, day)
       ON u.participant_id = g.participant_id AND u.currency = g.currency AND u.day = g.day
 ORDER BY u.participant_id, u.currency, u.day
   FOR UPDATE OF u
