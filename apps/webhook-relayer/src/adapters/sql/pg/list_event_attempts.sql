-- List what was tried to deliver one event, oldest first.
-- In: tenant_id, event_id, limit.  Out: one row an attempt.
-- Uses webhook_deliveries_tenant_id_event_id_subscription_id_key, and of the attempts their unique key by delivery.
SELECT attempt.delivery_id, attempt.subscription_id, attempt.attempt_no, attempt.replay_no, attempt.outcome, attempt.applied,
       attempt.status_code, attempt.error_code, attempt.error_detail, attempt.response_body, attempt.duration_ms,
       attempt.recorded_at
FROM webhook_deliveries delivery
JOIN webhook_delivery_attempts attempt ON attempt.delivery_id = delivery.id
WHERE delivery.tenant_id = $1 AND delivery.event_id = $2
ORDER BY attempt.id
LIMIT $3
