-- Make sure that the days of these accounts have a row to lock.
-- In: $1 participant_id[], $2 currency[], $3 day[]; no triple twice.  Out: nothing.  Uses participant_limit_usage_pkey.
-- Sorted, as every statement that locks here, so that two callers wait for each other and never in a circle.
INSERT INTO participant_limit_usage (participant_id, currency, day)
SELECT participant_id, currency, day
  FROM unnest($1::text[], $2::text[], $3::date[]) AS g (participant_id, currency, day)
 ORDER BY participant_id, currency, day
    ON CONFLICT DO NOTHING
