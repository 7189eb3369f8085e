-- safe: online
-- The tables of PostgreSQL. What is Oracle's own:
-- Instants are milliseconds since the epoch in NUMBER(15), so that no time zone of a session or driver can touch them.
-- The empty string is NULL here, so that NOT NULL refuses empty names and ids.

-- The row that every transaction of a config locks, and the only one that is waited for.
CREATE TABLE rate_limit_name (
  config_name VARCHAR2(64 CHAR) NOT NULL,
  CONSTRAINT pk_rate_limit_name PRIMARY KEY (config_name)
);
/
CREATE TABLE rate_limit_config (
  config_name    VARCHAR2(64 CHAR)  NOT NULL,
  version        NUMBER(10)         NOT NULL,
  max_per_window NUMBER(10)         NOT NULL,
  window_size_ms NUMBER(15)         NOT NULL,
  max_delay_ms   NUMBER(15)         NOT NULL,
  spread         VARCHAR2(8 CHAR)   NOT NULL,
  spread_stride  NUMBER(10)         NOT NULL,
  spread_phase   NUMBER(3)          NOT NULL,
  calendar       CLOB,
  is_active      NUMBER(1)          NOT NULL,
  created_by     VARCHAR2(200 CHAR) NOT NULL,
  created_at     TIMESTAMP(6)       DEFAULT SYS_EXTRACT_UTC(SYSTIMESTAMP) NOT NULL,
  deactivated_at TIMESTAMP(6),
  active_name    VARCHAR2(64 CHAR)  GENERATED ALWAYS AS (CASE WHEN is_active = 1 THEN config_name END) VIRTUAL,
  CONSTRAINT pk_rate_limit_config PRIMARY KEY (config_name, version),
  CONSTRAINT ck_rate_limit_config_version CHECK (version >= 1 AND is_active IN (0, 1)),
  CONSTRAINT ck_rate_limit_config_max CHECK (max_per_window BETWEEN 1 AND 1000000),
  CONSTRAINT ck_rate_limit_config_size CHECK (window_size_ms BETWEEN 1 AND 86400000),
  CONSTRAINT ck_rate_limit_config_delay CHECK (max_delay_ms BETWEEN 0 AND 31622400000),
  CONSTRAINT ck_rate_limit_config_spread CHECK (spread IN ('even', 'random') AND spread_stride >= 1)
);
/
CREATE UNIQUE INDEX ux_rate_limit_config_active ON rate_limit_config (active_name);
/
-- Occupancy of a window, whatever versions of the config its slots were given under.
CREATE TABLE rate_limit_window_counter (
  config_name   VARCHAR2(64 CHAR) NOT NULL,
  window_ms     NUMBER(15)        NOT NULL,
  slot_count    NUMBER(10)        NOT NULL,
  next_slot_no  NUMBER(10)        NOT NULL,
  free_below_ms NUMBER(15)        NOT NULL,
  CONSTRAINT pk_rate_limit_window_counter PRIMARY KEY (config_name, window_ms),
  CONSTRAINT ck_rate_limit_window_counter CHECK (slot_count >= 0 AND next_slot_no >= slot_count)
);
/
-- The unique slot_no and the check on it are the proof that no window holds more than its capacity.
CREATE TABLE rate_limit_slot (
  config_name     VARCHAR2(64 CHAR)  NOT NULL,
  event_id        VARCHAR2(128 CHAR) NOT NULL,
  window_ms       NUMBER(15)         NOT NULL,
  slot_no         NUMBER(10)         NOT NULL,
  window_capacity NUMBER(10)         NOT NULL,
  config_version  NUMBER(10)         NOT NULL,
  requested_ms    NUMBER(15)         NOT NULL,
  scheduled_ms    NUMBER(15)         NOT NULL,
  assigned_at     TIMESTAMP(6)       DEFAULT SYS_EXTRACT_UTC(SYSTIMESTAMP) NOT NULL,
  CONSTRAINT pk_rate_limit_slot PRIMARY KEY (config_name, event_id),
  CONSTRAINT ux_rate_limit_slot_number UNIQUE (config_name, window_ms, slot_no),
  CONSTRAINT ck_rate_limit_slot_capacity CHECK (slot_no >= 0 AND slot_no < window_capacity),
  CONSTRAINT ck_rate_limit_slot_time CHECK (scheduled_ms >= requested_ms AND scheduled_ms >= window_ms)
);
/
-- Runs of windows without room: full ones, and the closed time between them. A hint; the counters are the truth.
CREATE TABLE rate_limit_full_span (
  config_name VARCHAR2(64 CHAR) NOT NULL,
  start_ms    NUMBER(15)        NOT NULL,
  end_ms      NUMBER(15)        NOT NULL,
  CONSTRAINT pk_rate_limit_full_span PRIMARY KEY (config_name, start_ms),
  CONSTRAINT ck_rate_limit_full_span CHECK (end_ms > start_ms)
);
