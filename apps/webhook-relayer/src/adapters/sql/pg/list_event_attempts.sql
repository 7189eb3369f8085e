-- List what was tried to deliver one event, oldest first.
-- In: tenant_id, event_id, limit.  Out: one row an attempt.  Uses ix_webhook_delivery_attempts_event.
SELECT delivery_id, subscription_id, attempt_no, outcome, applied, status_code, error_code, error_detail,
       response_body, duration_ms, recorded_at
FROM webhook_delivery_attempts
WHERE tenant_id = $1 AND event_id = $2
ORDER BY id
LIMIT $3
