-- safe: online
-- The dispatch queue: how fast each item type leaves (exec_rate_config), what waits (exec_queue), what the waiting item
-- will be given (exec_context) and what happened to it (dispatch_audit_log). No foreign keys: the statements keep the
-- tables together, and a bulk enqueue takes no locks on other tables.

CREATE TABLE exec_rate_config (
  item_type                  text        PRIMARY KEY,
  enabled                    boolean     NOT NULL,
  batch_size                 integer     NOT NULL,
  dispatch_interval_secs     integer     NOT NULL,
  jitter_window_ms           integer     NOT NULL,
  pre_start_buffer_mins      integer     NOT NULL,
  max_dispatch_retries       integer     NOT NULL,
  stale_claim_threshold_mins integer     NOT NULL,
  exec_workflow_type         text        NOT NULL,
  exec_task_queue            text        NOT NULL,
  created_at                 timestamptz NOT NULL DEFAULT now(),
  updated_at                 timestamptz NOT NULL DEFAULT now(),
  -- No hyphen, so that exec-{item type}-{item id} names one item only.
  CONSTRAINT ck_exec_rate_config_item_type CHECK (item_type ~ '^[A-Z][A-Z0-9_]{0,31}$'),
  CONSTRAINT ck_exec_rate_config_batch CHECK (batch_size > 0 AND dispatch_interval_secs > 0),
  CONSTRAINT ck_exec_rate_config_times CHECK (
    jitter_window_ms >= 0 AND pre_start_buffer_mins >= 0 AND max_dispatch_retries > 0 AND stale_claim_threshold_mins > 0
  )
);

CREATE TABLE exec_queue (
  item_type           text        NOT NULL,
  item_id             text        NOT NULL,
  queue_status        text        NOT NULL DEFAULT 'READY',
  scheduled_exec_time timestamptz NOT NULL,
  init_workflow_id    text        NOT NULL,
  dispatch_batch_id   text,
  exec_workflow_id    text,
  claimed_at          timestamptz,
  dispatched_at       timestamptz,
  retry_count         integer     NOT NULL DEFAULT 0,
  retry_after         timestamptz,
  last_error          text,
  created_at          timestamptz NOT NULL DEFAULT now(),
  updated_at          timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT pk_exec_queue PRIMARY KEY (item_type, item_id),
  CONSTRAINT ck_exec_queue_status CHECK (queue_status IN ('READY', 'CLAIMED', 'DISPATCHED', 'EXHAUSTED', 'CANCELLED')),
  CONSTRAINT ck_exec_queue_item_type CHECK (item_type ~ '^[A-Z][A-Z0-9_]{0,31}$'),
  -- Temporal's SQL stores keep a workflow id in 255 characters; the rest is for the prefix.
  CONSTRAINT ck_exec_queue_item_id CHECK (length(item_id) BETWEEN 1 AND 200),
  CONSTRAINT ck_exec_queue_claim CHECK (
    queue_status <> 'CLAIMED' OR (claimed_at IS NOT NULL AND dispatch_batch_id IS NOT NULL)
  )
) WITH (
  -- Every row is written at least three times, so vacuum must follow the rows and not a fifth of the table.
  fillfactor = 90,
  autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_vacuum_threshold = 1000,
  autovacuum_analyze_scale_factor = 0.02,
  autovacuum_vacuum_cost_delay = 1
);

-- One index for each leg of the claim. They hold only the rows that the leg can take, in the order it takes them.
CREATE INDEX ix_exec_queue_ready ON exec_queue (item_type, scheduled_exec_time) WHERE queue_status = 'READY';
CREATE INDEX ix_exec_queue_claimed ON exec_queue (item_type, claimed_at) WHERE queue_status = 'CLAIMED';
CREATE INDEX ix_exec_queue_exhausted ON exec_queue (item_type, updated_at) WHERE queue_status = 'EXHAUSTED';

CREATE TABLE exec_context (
  item_type       text        NOT NULL,
  item_id         text        NOT NULL,
  context_json    text        NOT NULL,
  context_version integer     NOT NULL,
  created_at      timestamptz NOT NULL DEFAULT now(),
  updated_at      timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT pk_exec_context PRIMARY KEY (item_type, item_id)
);

-- Append-only. A row without item_id speaks of a whole batch: a claim is written down once for all its items, and the
-- items' own rows carry the batch id, so an item's trail is its own rows and those of its batches.
CREATE TABLE dispatch_audit_log (
  audit_id      bigint      GENERATED ALWAYS AS IDENTITY (CACHE 100) PRIMARY KEY,
  batch_id      text,
  item_type     text        NOT NULL,
  item_id       text,
  action        text        NOT NULL,
  status_before text,
  status_after  text,
  detail        text,
  actor         text,
  created_at    timestamptz NOT NULL DEFAULT now()
);

CREATE INDEX ix_dispatch_audit_item ON dispatch_audit_log (item_type, item_id) WHERE item_id IS NOT NULL;
CREATE INDEX ix_dispatch_audit_batch ON dispatch_audit_log (batch_id) WHERE item_id IS NULL;
