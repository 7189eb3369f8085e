-- Store a secret in its new form, if it still is what was read.
-- In: subscription_id, version, sealed_secret as it was, as it shall be.
-- Out: version, or no row when it was changed or deleted meanwhile.  Uses webhook_subscription_secrets_pkey.
UPDATE webhook_subscription_secrets
SET sealed_secret = $4::bytea
WHERE subscription_id = $1 AND version = $2 AND sealed_secret = $3::bytea
RETURNING version
