-- safe: online
-- How each subscription is doing, added up as outcomes come in: neither the view for customers nor the decision to disable
-- an endpoint ever scans deliveries. It is written once a second for all outcomes of that second; what a killed instance
-- had not written yet is missing here, and nowhere else.
CREATE TABLE webhook_subscription_health (
  subscription_id   text PRIMARY KEY,
  -- the first of the failures without a success since; null after a success
  failing_since     timestamptz,
  last_success_at   timestamptz,
  last_failure_at   timestamptz,
  last_status_code  integer,
  last_error_code   text,
  last_error_detail text
) WITH (fillfactor = 70);

CREATE INDEX ix_webhook_subscription_health_failing ON webhook_subscription_health (failing_since)
  WHERE failing_since IS NOT NULL;

CREATE TABLE webhook_subscription_hours (
  subscription_id  text NOT NULL,
  hour             timestamptz NOT NULL,
  -- attempts by what came of them
  delivered        integer NOT NULL DEFAULT 0,
  retried          integer NOT NULL DEFAULT 0,
  failed           integer NOT NULL DEFAULT 0,
  -- attempts that took up to 50, 100, 250, 500, 1000, 2500, 5000, 10000, 30000 ms, and longer
  duration_buckets integer[] NOT NULL CHECK (cardinality(duration_buckets) = 10),
  PRIMARY KEY (subscription_id, hour)
) WITH (fillfactor = 70);

CREATE INDEX ix_webhook_subscription_hours_hour ON webhook_subscription_hours (hour);
