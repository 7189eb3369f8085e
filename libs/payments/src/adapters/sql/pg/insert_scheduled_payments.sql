-- Insert payments as SCHEDULED, each with its first audit row; ids that are taken are left alone.
-- In: $1 JSON array of rows.  Out: payment_id of the rows that are new.  Uses payments_pkey.
-- Sorted, so that two overlapping chunks wait for each other instead of deadlocking.
WITH given AS (
  SELECT *
    FROM json_to_recordset($1::json) AS g (
      payment_id text, participant_id text, rail text, minor_units bigint, currency text, reference text,
      execute_at timestamptz, scheduled_time timestamptz, fingerprint text, request_json text, init_workflow_id text)
), inserted AS (
  INSERT INTO payments (payment_id, status, participant_id, rail, minor_units, currency, reference,
                        execute_at, scheduled_time, fingerprint, request_json, init_workflow_id)
  SELECT payment_id, 'SCHEDULED', participant_id, rail, minor_units, currency, reference,
         execute_at, scheduled_time, fingerprint, request_json, init_workflow_id
    FROM given
   ORDER BY payment_id
  ON CONFLICT (payment_id) DO NOTHING
  RETURNING payment_id, init_workflow_id
), audited AS (
  INSERT INTO payment_status_changes (payment_id, from_status, to_status, changed_by)
  SELECT payment_id, NULL, 'SCHEDULED', init_workflow_id FROM inserted
)
SELECT payment_id FROM inserted
