-- The audit trail of one payment, oldest first.
-- In: $1 payment_id.  Out: one row a change.  Uses ix_payment_status_changes_payment.
SELECT from_status, to_status, reason_code, reason_detail, changed_by, changed_at
  FROM payment_status_changes
 WHERE payment_id = $1
 ORDER BY change_id
