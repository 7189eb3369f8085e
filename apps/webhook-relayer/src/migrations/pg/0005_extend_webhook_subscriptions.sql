-- breaking: stop webhook-relayer first, since the version before reads columns that are renamed or moved here
-- What customers can set on a subscription, and why and since when it is in its state.
ALTER TABLE webhook_subscriptions
  DROP CONSTRAINT webhook_subscriptions_status_check,
  DROP CONSTRAINT webhook_subscriptions_check,
  DROP CONSTRAINT webhook_subscriptions_check1;

ALTER TABLE webhook_subscriptions RENAME COLUMN ended_reason TO status_reason;
ALTER TABLE webhook_subscriptions RENAME COLUMN ended_at TO status_since;

UPDATE webhook_subscriptions SET status_since = created_at WHERE status_since IS NULL;

ALTER TABLE webhook_subscriptions
  ALTER COLUMN status_since SET DEFAULT now(),
  ALTER COLUMN status_since SET NOT NULL,
  -- sent with every request; never one of those that the service sets itself
  ADD COLUMN custom_headers jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(custom_headers) = 'object'),
  -- `standard_and_legacy`: also the plain HMAC of the body in X-Signature
  ADD COLUMN signature_form text NOT NULL DEFAULT 'standard'
    CHECK (signature_form IN ('standard', 'standard_and_legacy')),
  ADD COLUMN retry_profile text NOT NULL DEFAULT 'default' CHECK (retry_profile IN ('default', 'long')),
  -- null: the limit that the service is configured with
  ADD COLUMN rate_limit_per_second integer CHECK (rate_limit_per_second BETWEEN 1 AND 10000),
  ADD COLUMN max_concurrency integer CHECK (max_concurrency BETWEEN 1 AND 1000),
  ADD COLUMN description text,
  -- counts changes, so that a change can be made on condition of the version it was made for
  ADD COLUMN version integer NOT NULL DEFAULT 1,
  ADD COLUMN created_by text NOT NULL DEFAULT 'unknown',
  ADD COLUMN updated_by text NOT NULL DEFAULT 'unknown',
  ADD COLUMN updated_at timestamptz NOT NULL DEFAULT now(),
  -- a paused one keeps its deliveries waiting; what waits for a disabled or deleted one is cancelled
  ADD CONSTRAINT webhook_subscriptions_status_check CHECK (status IN ('active', 'paused', 'disabled', 'deleted')),
  ADD CONSTRAINT webhook_subscriptions_reason_check CHECK (status = 'active' OR status_reason IS NOT NULL);

-- Events that come while a subscription is paused wait for it too.
DROP INDEX ix_webhook_subscriptions_match;
CREATE INDEX ix_webhook_subscriptions_match ON webhook_subscriptions USING gin (event_types)
  WHERE status IN ('active', 'paused');
