-- safe: online
-- What operators say about the circuits of the rails. It holds for all instances alike and outlives them; what a circuit
-- does by itself is each instance's own and kept nowhere.

CREATE TABLE rail_circuit_modes (
  rail    text        PRIMARY KEY,
  mode    text        NOT NULL CHECK (mode IN ('AUTO', 'OPEN', 'CLOSED')),
  reason  text        NOT NULL,
  set_by  text        NOT NULL,
  set_at  timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE TABLE rail_circuit_changes (
  change_id   bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  rail        text        NOT NULL,
  -- Null when nobody had said anything before.
  mode_before text,
  mode_after  text        NOT NULL,
  reason      text        NOT NULL,
  changed_by  text        NOT NULL,
  changed_at  timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE INDEX ix_rail_circuit_changes_rail ON rail_circuit_changes (rail, change_id DESC);

CREATE FUNCTION refuse_circuit_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'rail_circuit_changes is append-only: % refused', TG_OP
    USING ERRCODE = 'restrict_violation', HINT = 'Correct a wrong entry by adding another one.';
END
$$;

CREATE TRIGGER rail_circuit_changes_append_only
  BEFORE UPDATE OR DELETE OR TRUNCATE ON rail_circuit_changes
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_circuit_audit_change();
