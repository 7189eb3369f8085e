-- Note how the last attempts for subscriptions went, and since when there have been only failures.
-- In: arrays of subscription_id, had a success, had a failure, ends with a failure, status_code, error_code, error_detail.
-- Uses webhook_subscription_health_pkey; rows are taken in the order of ids, so that two writers never wait for each other.
INSERT INTO webhook_subscription_health AS health
  (subscription_id, failing_since, last_success_at, last_failure_at, last_status_code, last_error_code, last_error_detail)
SELECT noted.subscription_id,
       CASE WHEN noted.ends_with_failure THEN now() END,
       CASE WHEN noted.had_success THEN now() END,
       CASE WHEN noted.had_failure THEN now() END,
       noted.status_code, noted.error_code, noted.error_detail
FROM unnest($1::text[], $2::boolean[], $3::boolean[], $4::boolean[], $5::integer[], $6::text[], $7::text[])
  AS noted (subscription_id, had_success, had_failure, ends_with_failure, status_code, error_code, error_detail)
ORDER BY noted.subscription_id
ON CONFLICT (subscription_id) DO UPDATE
SET failing_since = CASE
      WHEN excluded.failing_since IS NULL THEN NULL
      WHEN excluded.last_success_at IS NOT NULL THEN excluded.failing_since
      ELSE COALESCE(health.failing_since, excluded.failing_since)
    END,
    last_success_at = COALESCE(excluded.last_success_at, health.last_success_at),
    last_failure_at = COALESCE(excluded.last_failure_at, health.last_failure_at),
    last_status_code = CASE WHEN excluded.last_failure_at IS NULL THEN health.last_status_code ELSE excluded.last_status_code END,
    last_error_code = CASE WHEN excluded.last_failure_at IS NULL THEN health.last_error_code ELSE excluded.last_error_code END,
    last_error_detail = CASE WHEN excluded.last_failure_at IS NULL THEN health.last_error_detail ELSE excluded.last_error_detail END
