-- Note the day on which a payment is expected to settle; the same day again writes nothing.
-- In: $1 payment_id, $2 day.  Out: payment_id if there is such a payment.  Uses payments_pkey.
WITH noted AS (
  UPDATE payments
     SET expected_settlement_date = $2::date, updated_at = clock_timestamp()
   WHERE payment_id = $1 AND expected_settlement_date IS DISTINCT FROM $2::date
)
SELECT payment_id FROM payments WHERE payment_id = $1
