-- safe: online
-- The tables of the dispatch queue, column for column those of PostgreSQL. What is Oracle's own:
-- Instants are UTC in TIMESTAMP(6). WITH TIME ZONE would be indexed by a hidden function and compared outside the index.
-- The empty string is NULL here, which is why the queue refuses empty texts everywhere.
-- INITRANS has room for 16 claimers in a block: where no entry is free, SKIP LOCKED skips rows that nobody holds.
-- A key that is NULL as a whole is not indexed: virtual columns that are NULL for most rows make the partial indexes.
-- Nothing is partitioned, since that is a charged option.

CREATE TABLE exec_rate_config (
  item_type                  VARCHAR2(32 CHAR)  NOT NULL,
  enabled                    NUMBER(1)          NOT NULL,
  batch_size                 NUMBER(10)         NOT NULL,
  dispatch_interval_secs     NUMBER(10)         NOT NULL,
  jitter_window_ms           NUMBER(10)         NOT NULL,
  pre_start_buffer_mins      NUMBER(10)         NOT NULL,
  max_dispatch_retries       NUMBER(10)         NOT NULL,
  stale_claim_threshold_mins NUMBER(10)         NOT NULL,
  exec_workflow_type         VARCHAR2(200 CHAR) NOT NULL,
  exec_task_queue            VARCHAR2(200 CHAR) NOT NULL,
  created_at                 TIMESTAMP(6)       DEFAULT SYS_EXTRACT_UTC(SYSTIMESTAMP) NOT NULL,
  updated_at                 TIMESTAMP(6)       DEFAULT SYS_EXTRACT_UTC(SYSTIMESTAMP) NOT NULL,
  CONSTRAINT pk_exec_rate_config PRIMARY KEY (item_type),
  CONSTRAINT ck_exec_rate_config_enabled CHECK (enabled IN (0, 1)),
  -- Letter by letter: what [A-Z] means in a regular expression depends on the sort order of the session.
  CONSTRAINT ck_exec_rate_config_item_type CHECK (
    INSTR('ABCDEFGHIJKLMNOPQRSTUVWXYZ', SUBSTR(item_type, 1, 1)) > 0
    AND TRANSLATE(item_type, '-ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_', '-') IS NULL
  ),
  CONSTRAINT ck_exec_rate_config_batch CHECK (batch_size > 0 AND dispatch_interval_secs > 0),
  CONSTRAINT ck_exec_rate_config_times CHECK (
    jitter_window_ms >= 0 AND pre_start_buffer_mins >= 0 AND max_dispatch_retries > 0 AND stale_claim_threshold_mins > 0
  )
);
/
CREATE TABLE exec_queue (
  item_type           VARCHAR2(32 CHAR)   NOT NULL,
  item_id             VARCHAR2(200 CHAR)  NOT NULL,
  queue_status        VARCHAR2(16 CHAR)   DEFAULT 'READY' NOT NULL,
  scheduled_exec_time TIMESTAMP(6)        NOT NULL,
  init_workflow_id    VARCHAR2(1000 CHAR) NOT NULL,
  dispatch_batch_id   VARCHAR2(200 CHAR),
  exec_workflow_id    VARCHAR2(1000 CHAR),
  claimed_at          TIMESTAMP(6),
  dispatched_at       TIMESTAMP(6),
  retry_count         NUMBER(10)          DEFAULT 0 NOT NULL,
  retry_after         TIMESTAMP(6),
  last_error          VARCHAR2(1000 CHAR),
  created_at          TIMESTAMP(6)        DEFAULT SYS_EXTRACT_UTC(SYSTIMESTAMP) NOT NULL,
  updated_at          TIMESTAMP(6)        DEFAULT SYS_EXTRACT_UTC(SYSTIMESTAMP) NOT NULL,
  settled_type        VARCHAR2(32 CHAR)
    GENERATED ALWAYS AS (CASE WHEN queue_status IN ('DISPATCHED', 'EXHAUSTED', 'CANCELLED') THEN item_type END) VIRTUAL,
  settled_status      VARCHAR2(16 CHAR)
    GENERATED ALWAYS AS (CASE WHEN queue_status IN ('DISPATCHED', 'EXHAUSTED', 'CANCELLED') THEN queue_status END) VIRTUAL,
  settled_at          TIMESTAMP(6)
    GENERATED ALWAYS AS (CASE WHEN queue_status IN ('DISPATCHED', 'EXHAUSTED', 'CANCELLED') THEN updated_at END) VIRTUAL,
  CONSTRAINT pk_exec_queue PRIMARY KEY (item_type, item_id) USING INDEX INITRANS 16,
  CONSTRAINT ck_exec_queue_status CHECK (queue_status IN ('READY', 'CLAIMED', 'DISPATCHED', 'EXHAUSTED', 'CANCELLED')),
  CONSTRAINT ck_exec_queue_item_type CHECK (
    INSTR('ABCDEFGHIJKLMNOPQRSTUVWXYZ', SUBSTR(item_type, 1, 1)) > 0
    AND TRANSLATE(item_type, '-ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_', '-') IS NULL
  ),
  CONSTRAINT ck_exec_queue_claim CHECK (
    queue_status <> 'CLAIMED' OR (claimed_at IS NOT NULL AND dispatch_batch_id IS NOT NULL)
  )
) PCTFREE 20 INITRANS 16;
/
-- One index for each leg of the claim: with the status in front, a leg is one range in its own order, however many settled
-- rows the table holds. Plain columns: what the claim rests on should need nothing of the optimizer.
CREATE INDEX ix_exec_queue_ready ON exec_queue (item_type, queue_status, scheduled_exec_time) INITRANS 16 COMPRESS 2;
/
CREATE INDEX ix_exec_queue_claimed ON exec_queue (item_type, queue_status, claimed_at) INITRANS 16 COMPRESS 2;
/
-- What operators and retention look for. A row enters once, when it is settled, and not at every step before.
CREATE INDEX ix_exec_queue_settled ON exec_queue (settled_type, settled_status, settled_at) INITRANS 16 COMPRESS 2;
/
CREATE TABLE exec_context (
  item_type       VARCHAR2(32 CHAR)  NOT NULL,
  item_id         VARCHAR2(200 CHAR) NOT NULL,
  context_json    CLOB               NOT NULL,
  context_version NUMBER(10)         NOT NULL,
  created_at      TIMESTAMP(6)       DEFAULT SYS_EXTRACT_UTC(SYSTIMESTAMP) NOT NULL,
  updated_at      TIMESTAMP(6)       DEFAULT SYS_EXTRACT_UTC(SYSTIMESTAMP) NOT NULL,
  CONSTRAINT pk_exec_context PRIMARY KEY (item_type, item_id) USING INDEX INITRANS 16
) INITRANS 16
  LOB (context_json) STORE AS SECUREFILE (ENABLE STORAGE IN ROW CACHE);
/
-- Append-only. A row without item_id speaks of a whole batch: a claim is written down once for all its items, and the
-- items' own rows carry the batch id, so an item's trail is its own rows and those of its batches.
CREATE TABLE dispatch_audit_log (
  audit_id      NUMBER(19)          GENERATED ALWAYS AS IDENTITY (CACHE 1000),
  batch_id      VARCHAR2(200 CHAR),
  item_type     VARCHAR2(32 CHAR)   NOT NULL,
  item_id       VARCHAR2(200 CHAR),
  action        VARCHAR2(32 CHAR)   NOT NULL,
  status_before VARCHAR2(16 CHAR),
  status_after  VARCHAR2(16 CHAR),
  detail        VARCHAR2(4000 CHAR),
  actor         VARCHAR2(1000 CHAR),
  created_at    TIMESTAMP(6)        DEFAULT SYS_EXTRACT_UTC(SYSTIMESTAMP) NOT NULL,
  -- Only in rows of whole batches.
  whole_batch_id VARCHAR2(200 CHAR)
    GENERATED ALWAYS AS (CASE WHEN item_id IS NULL THEN batch_id END) VIRTUAL,
  -- Only in rows of what people did.
  actor_item_type VARCHAR2(32 CHAR)
    GENERATED ALWAYS AS (CASE WHEN actor IS NOT NULL THEN item_type END) VIRTUAL,
  actor_audit_id NUMBER(19)
    GENERATED ALWAYS AS (CASE WHEN actor IS NOT NULL THEN audit_id END) VIRTUAL,
  CONSTRAINT pk_dispatch_audit_log PRIMARY KEY (audit_id) USING INDEX INITRANS 16
) INITRANS 16;
/
CREATE INDEX ix_dispatch_audit_item ON dispatch_audit_log (item_type, item_id) INITRANS 16 COMPRESS 1;
/
CREATE INDEX ix_dispatch_audit_batch ON dispatch_audit_log (whole_batch_id) INITRANS 16;
/
CREATE INDEX ix_dispatch_audit_actor ON dispatch_audit_log (actor_item_type, actor_audit_id) INITRANS 16 COMPRESS 1;
