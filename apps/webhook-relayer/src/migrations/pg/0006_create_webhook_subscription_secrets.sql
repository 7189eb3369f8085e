-- breaking: stop webhook-relayer first, since the version before reads the secret from the subscription
-- The signing secrets of a subscription, sealed by the service. While one is being rotated two are valid, and every
-- request is signed with both; which of them expires is in `expires_at`. All are wiped when the subscription is deleted.
CREATE TABLE webhook_subscription_secrets (
  subscription_id text NOT NULL,
  version         integer NOT NULL CHECK (version > 0),
  sealed_secret   bytea NOT NULL,
  -- null: valid until it is rotated
  expires_at      timestamptz,
  created_by      text NOT NULL DEFAULT 'unknown',
  created_at      timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (subscription_id, version)
);

INSERT INTO webhook_subscription_secrets (subscription_id, version, sealed_secret, created_at)
SELECT id, 1, sealed_secret, created_at FROM webhook_subscriptions WHERE sealed_secret IS NOT NULL;

ALTER TABLE webhook_subscriptions DROP COLUMN sealed_secret;
