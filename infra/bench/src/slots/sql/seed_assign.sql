-- Place one event as the rate limiter that ours replaces does, in one round trip and one transaction.
-- In: event id, requested time, jitter ms of the first window and of the others, max per window, window size ms, headroom.
-- Out: scheduled_time, null when refused.
select seed_assign($1, $2, $3, $4, $5, $6, $7) as scheduled_time
