-- Read one delivery.
-- In: tenant_id, id.  Out: the delivery.  Uses webhook_deliveries_pkey.
SELECT *
FROM webhook_deliveries
WHERE tenant_id = $1 AND id = $2::bigint
