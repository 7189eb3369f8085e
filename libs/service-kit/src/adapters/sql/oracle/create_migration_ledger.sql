-- Create the ledger of applied migrations and its lock row where they are missing. Safe to run in several sessions at once:
-- ORA-00955 says that another one was faster, and so does the duplicate row.
-- In: nothing.  Out: nothing.
BEGIN
  BEGIN
    EXECUTE IMMEDIATE 'CREATE TABLE sluice_schema_migrations (
      component    VARCHAR2(64 CHAR)  NOT NULL,
      version      NUMBER(10)         NOT NULL,
      name         VARCHAR2(200 CHAR) NOT NULL,
      checksum     VARCHAR2(64 CHAR)  NOT NULL,
      applied_at   TIMESTAMP(3)       DEFAULT SYS_EXTRACT_UTC(SYSTIMESTAMP) NOT NULL,
      execution_ms NUMBER(19)         NOT NULL,
      CONSTRAINT pk_sluice_schema_migrations PRIMARY KEY (component, version))';
  EXCEPTION
    WHEN OTHERS THEN
      IF SQLCODE != -955 THEN RAISE; END IF;
  END;
  BEGIN
    EXECUTE IMMEDIATE 'CREATE TABLE sluice_schema_lock (
      id NUMBER(1) NOT NULL,
      CONSTRAINT pk_sluice_schema_lock PRIMARY KEY (id))';
  EXCEPTION
    WHEN OTHERS THEN
      IF SQLCODE != -955 THEN RAISE; END IF;
  END;
  BEGIN
    EXECUTE IMMEDIATE 'INSERT INTO sluice_schema_lock (id) VALUES (1)';
    COMMIT;
  EXCEPTION
    WHEN DUP_VAL_ON_INDEX THEN NULL;
  END;
END;
