-- Store events that are not known yet; an event that is known is left as it is.
-- In: arrays of tenant_id, id, type, source, occurred_at, ordering_key, body, kafka_topic, kafka_partition, kafka_offset.
-- Out: tenant_id, id of those stored.  Uses webhook_events_pkey.
INSERT INTO webhook_events
  (tenant_id, id, type, source, occurred_at, ordering_key, body, kafka_topic, kafka_partition, kafka_offset)
SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::timestamptz[], $6::text[], $7::bytea[],
                     $8::text[], $9::integer[], $10::bigint[])
ON CONFLICT (tenant_id, id) DO NOTHING
RETURNING tenant_id, id
