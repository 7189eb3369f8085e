-- safe: online
-- Gives a role what producers and relays need, and not more: of the archive and the keys it may add and read, never change
-- or remove. A service should not connect as the owner of these tables.
CREATE FUNCTION payment_outbox_grant(to_whom NAME) RETURNS VOID
LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('GRANT SELECT, INSERT ON payment_outbox_keys, payment_outbox_attempts TO %I', to_whom);
  EXECUTE format('GRANT SELECT ON payment_outbox_attempts_default TO %I', to_whom);
  EXECUTE format('GRANT SELECT, INSERT, UPDATE ON participant_outbox_sequences TO %I', to_whom);
  EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON participant_outbox_lanes, payment_outbox_pending,
    payment_outbox_inflight, payment_outbox_dead TO %I', to_whom);
  EXECUTE format('GRANT EXECUTE ON FUNCTION payment_outbox_maintain_attempts(INT, INT) TO %I', to_whom);
END
$$;
REVOKE ALL ON FUNCTION payment_outbox_grant(NAME) FROM PUBLIC;
