-- safe: online
-- What the intake remembers of requests.

-- Who may use a payment's id: the first request that came under it. Written before Phase A is started, so that another
-- request under the same id is refused at the door, however it comes.
CREATE TABLE payment_receipts (
  payment_id       text        PRIMARY KEY,
  fingerprint      text        NOT NULL CHECK (fingerprint ~ '^[0-9a-f]{64}$'),
  init_workflow_id text        NOT NULL,
  intake           text        NOT NULL CHECK (intake IN ('single', 'batch', 'upload', 'kafka')),
  -- The caller's key, or the place of the message.
  sent_by          text        NOT NULL,
  -- W3C trace context of the first request.
  traceparent      text,
  received_at      timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX ix_payment_receipts_received ON payment_receipts (received_at);

-- Idempotency-Key of HTTP requests, per caller.
CREATE TABLE payment_request_keys (
  caller_id   text        NOT NULL,
  request_key text        NOT NULL,
  fingerprint text        NOT NULL CHECK (fingerprint ~ '^[0-9a-f]{64}$'),
  created_at  timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (caller_id, request_key)
);
CREATE INDEX ix_payment_request_keys_created ON payment_request_keys (created_at);
