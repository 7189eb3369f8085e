-- breaking: stop the relays (exec-worker, webhook-relayer) first; the archive is locked for as long as reading it once takes
-- One partition a month (by UTC), made ahead and dropped by age. What there is so far becomes the partition of this month, open
-- towards the past. The default partition stays as a net: should nobody make partitions, money still leaves.
DO $$
DECLARE
  month DATE := date_trunc('month', now() AT TIME ZONE 'UTC')::DATE;
  name  TEXT := 'payment_outbox_attempts_' || to_char(month, 'YYYY_MM');
BEGIN
  ALTER TABLE payment_outbox_attempts DETACH PARTITION payment_outbox_attempts_default;
  EXECUTE format('ALTER TABLE payment_outbox_attempts_default RENAME TO %I', name);
  EXECUTE format('ALTER TABLE payment_outbox_attempts ATTACH PARTITION %I FOR VALUES FROM (MINVALUE) TO (%L)',
    name, (month + INTERVAL '1 month')::TIMESTAMP AT TIME ZONE 'UTC');
  EXECUTE format('CREATE TRIGGER payment_outbox_attempts_no_truncate BEFORE TRUNCATE ON %I
    FOR EACH STATEMENT EXECUTE FUNCTION payment_outbox_attempts_refuse_change()', name);
END
$$;

CREATE TABLE payment_outbox_attempts_default PARTITION OF payment_outbox_attempts DEFAULT;
CREATE TRIGGER payment_outbox_attempts_no_truncate BEFORE TRUNCATE ON payment_outbox_attempts_default
  FOR EACH STATEMENT EXECUTE FUNCTION payment_outbox_attempts_refuse_change();

-- Makes the partitions up to `months_ahead` months from now and drops those that ended more than `keep_months` months ago (NULL
-- keeps all). With the owner's rights, so that the role that relays needs none on the tables: it can drop a month that is
-- over, never a row.
CREATE FUNCTION payment_outbox_maintain_attempts(months_ahead INT, keep_months INT)
RETURNS TABLE (change TEXT, partition_name TEXT)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET lock_timeout = '5s' AS $$
#variable_conflict use_column
DECLARE
  this_month DATE := date_trunc('month', now() AT TIME ZONE 'UTC')::DATE;
  month      DATE;
  part       TEXT;
BEGIN
  IF months_ahead NOT BETWEEN 1 AND 24 OR keep_months < 1 THEN
    RAISE EXCEPTION 'expected 1 to 24 months ahead and at least 1 month to keep, found % and %', months_ahead, keep_months
      USING ERRCODE = 'invalid_parameter_value';
  END IF;
  PERFORM pg_advisory_xact_lock(hashtext('payment_outbox_maintain_attempts'));

  FOR month IN SELECT this_month + n * INTERVAL '1 month' FROM generate_series(0, months_ahead) AS n LOOP
    part := 'payment_outbox_attempts_' || to_char(month, 'YYYY_MM');
    CONTINUE WHEN to_regclass(part) IS NOT NULL;
    -- Rows that came before their partition stay in the default one: moving them would mean deleting them there.
    CONTINUE WHEN EXISTS (SELECT 1 FROM payment_outbox_attempts_default
      WHERE created_at >= month::TIMESTAMP AT TIME ZONE 'UTC'
        AND created_at < (month + INTERVAL '1 month')::TIMESTAMP AT TIME ZONE 'UTC');
    EXECUTE format('CREATE TABLE %I PARTITION OF payment_outbox_attempts FOR VALUES FROM (%L) TO (%L)',
      part, month::TIMESTAMP AT TIME ZONE 'UTC', (month + INTERVAL '1 month')::TIMESTAMP AT TIME ZONE 'UTC');
    EXECUTE format('CREATE TRIGGER payment_outbox_attempts_no_truncate BEFORE TRUNCATE ON %I
      FOR EACH STATEMENT EXECUTE FUNCTION payment_outbox_attempts_refuse_change()', part);
    change := 'created';
    partition_name := part;
    RETURN NEXT;
  END LOOP;

  FOR part IN
    SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = 'payment_outbox_attempts'::REGCLASS AND c.relname ~ '_[0-9]{4}_[0-9]{2}$'
      AND to_date(right(c.relname, 7), 'YYYY_MM') < this_month - keep_months * INTERVAL '1 month'
    ORDER BY c.relname
  LOOP
    EXECUTE format('DROP TABLE %I', part);
    change := 'dropped';
    partition_name := part;
    RETURN NEXT;
  END LOOP;
END
$$;
REVOKE ALL ON FUNCTION payment_outbox_maintain_attempts(INT, INT) FROM PUBLIC;

SELECT payment_outbox_maintain_attempts(3, NULL);
