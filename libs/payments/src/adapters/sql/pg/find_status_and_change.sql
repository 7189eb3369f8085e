-- Where a payment stands, and whether a given change of status is in its audit trail.
-- In: $1 payment_id, $2 from, $3 to.  Out: status, made.  Uses payments_pkey, ix_payment_status_changes_payment.
SELECT p.status,
       EXISTS (SELECT 1
                 FROM payment_status_changes c
                WHERE c.payment_id = p.payment_id AND c.from_status = $2 AND c.to_status = $3) AS made
  FROM payments p
 WHERE p.payment_id = $1
