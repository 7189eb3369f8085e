-- How long the delivery that is longest overdue has been waiting; zero when none is.
-- In: nothing.  Out: overdue_seconds.  Uses ix_webhook_deliveries_due.
SELECT COALESCE(GREATEST(0, EXTRACT(epoch FROM now() - min(next_attempt_at))), 0)::double precision AS overdue_seconds
FROM webhook_deliveries
WHERE status = 'pending'
