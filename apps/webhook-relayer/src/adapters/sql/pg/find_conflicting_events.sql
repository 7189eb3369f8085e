-- Tell which of these events are stored with another body under the same id.
-- In: arrays of tenant_id, id, body.  Out: position (from 1) in the arrays.  Uses webhook_events_pkey.
SELECT incoming.position::integer AS position
FROM unnest($1::text[], $2::text[], $3::bytea[]) WITH ORDINALITY AS incoming (tenant_id, id, body, position)
JOIN webhook_events stored ON stored.tenant_id = incoming.tenant_id AND stored.id = incoming.id
WHERE stored.body <> incoming.body
