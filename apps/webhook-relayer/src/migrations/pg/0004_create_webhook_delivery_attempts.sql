-- safe: online
-- What was tried and what came of it. Append-only: it is the proof that a customer was told, or why not.
CREATE TABLE webhook_delivery_attempts (
  id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  delivery_id     bigint NOT NULL,
  tenant_id       text NOT NULL,
  event_id        text NOT NULL,
  subscription_id text NOT NULL,
  attempt_no      integer NOT NULL,
  claim_token     uuid,
  outcome         text NOT NULL CHECK (outcome IN
                  ('delivered', 'retry', 'failed', 'exhausted', 'gone', 'interrupted', 'lease_expired', 'cancelled')),
  -- false: the lease had been taken away by then, so the outcome is on record but changed nothing
  applied         boolean NOT NULL,
  status_code     integer,
  error_code      text,
  error_detail    text,
  response_body   text,
  duration_ms     integer,
  recorded_at     timestamptz NOT NULL DEFAULT now(),
  -- lets a write whose answer was lost be repeated without a second row
  UNIQUE (delivery_id, claim_token, outcome)
);

CREATE INDEX ix_webhook_delivery_attempts_event ON webhook_delivery_attempts (tenant_id, event_id, id);

CREATE FUNCTION refuse_webhook_attempt_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'webhook_delivery_attempts is append-only' USING ERRCODE = 'restrict_violation';
END
$$;

CREATE TRIGGER webhook_delivery_attempts_append_only
  BEFORE UPDATE OR DELETE OR TRUNCATE ON webhook_delivery_attempts
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_webhook_attempt_change();
