-- breaking: payments cannot be written while the indexes are built; on a large table create them before, CONCURRENTLY, under the same names
-- What lists of payments are read by.

CREATE INDEX IF NOT EXISTS ix_payments_created ON payments (created_at, payment_id);
CREATE INDEX IF NOT EXISTS ix_payments_participant_created ON payments (participant_id, created_at, payment_id);
-- Few payments end so; a payment on its ordinary way never touches this index.
CREATE INDEX IF NOT EXISTS ix_payments_unsuccessful ON payments (status, created_at, payment_id)
  WHERE status IN ('REJECTED', 'FAILED', 'CANCELLED', 'RETURNED');
