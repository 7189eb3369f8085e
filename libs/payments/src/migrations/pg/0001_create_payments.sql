-- safe: online
-- The payment as the business sees it, and the audit trail of its status. No foreign key between them: an audit
-- row is written by the same statement as the change it records.

CREATE TABLE payments (
  payment_id               text        PRIMARY KEY CHECK (payment_id ~ '^[A-Za-z0-9._-]{1,64}$'),
  status                   text        NOT NULL CHECK (status IN
                             ('SCHEDULED', 'ACCEPTED', 'PROCESSING', 'REJECTED', 'FAILED', 'CANCELLED', 'SETTLED', 'RETURNED')),
  reason_code              text,
  reason_detail            text,
  participant_id           text,
  rail                     text,
  minor_units              bigint      CHECK (minor_units > 0),
  currency                 text        CHECK (currency ~ '^[A-Z]{3}$'),
  reference                text,
  execute_at               timestamptz,
  scheduled_time           timestamptz,
  expected_settlement_date date,
  fingerprint              text        NOT NULL CHECK (fingerprint ~ '^[0-9a-f]{64}$'),
  -- Canonical JSON, the very text the fingerprint was taken of. Not jsonb: a rejected request may hold escapes
  -- (NUL, half a surrogate pair) that jsonb refuses, and its row has to be written nonetheless.
  request_json             text        NOT NULL,
  init_workflow_id         text        NOT NULL,
  created_at               timestamptz NOT NULL DEFAULT now(),
  updated_at               timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT payments_complete_unless_rejected CHECK (
    status = 'REJECTED'
    OR (participant_id IS NOT NULL AND rail IS NOT NULL AND minor_units IS NOT NULL AND currency IS NOT NULL
        AND scheduled_time IS NOT NULL)
  ),
  CONSTRAINT payments_reason_when_turned_down CHECK (
    status NOT IN ('REJECTED', 'FAILED') OR (reason_code IS NOT NULL AND reason_detail IS NOT NULL)
  )
);

CREATE TABLE payment_status_changes (
  change_id     bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  payment_id    text        NOT NULL,
  -- Null in the first row of a payment.
  from_status   text,
  to_status     text        NOT NULL,
  reason_code   text,
  reason_detail text,
  changed_by    text        NOT NULL,
  changed_at    timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE INDEX ix_payment_status_changes_payment ON payment_status_changes (payment_id, change_id);

CREATE FUNCTION refuse_payment_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'payment_status_changes is append-only: % refused', TG_OP
    USING ERRCODE = 'restrict_violation', HINT = 'Correct a wrong entry by adding another one.';
END
$$;

CREATE TRIGGER payment_status_changes_append_only
  BEFORE UPDATE OR DELETE OR TRUNCATE ON payment_status_changes
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_payment_audit_change();
