-- safe: online
-- What the rules remember: limits of participants and what is taken of them, look-alikes, and remarks for people.

-- Bounds that operators set; '*' holds for every participant that has no row of its own in the currency.
CREATE TABLE participant_limits (
  participant_id          text        NOT NULL,
  currency                text        NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
  per_payment_minor_units bigint      CHECK (per_payment_minor_units > 0),
  per_day_minor_units     bigint      CHECK (per_day_minor_units > 0),
  per_day_payments        integer     CHECK (per_day_payments > 0),
  updated_at              timestamptz NOT NULL DEFAULT now(),
  updated_by              text        NOT NULL,
  PRIMARY KEY (participant_id, currency)
);

CREATE TABLE participant_limit_changes (
  change_id               bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  participant_id          text        NOT NULL,
  currency                text        NOT NULL,
  per_payment_minor_units bigint,
  per_day_minor_units     bigint,
  per_day_payments        integer,
  changed_by              text        NOT NULL,
  changed_at              timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- How much of a day's limit is taken. The sum of the reservations, kept beside them so that nobody has to add them up.
CREATE TABLE participant_limit_usage (
  participant_id text          NOT NULL,
  currency       text          NOT NULL,
  day            date          NOT NULL,
  minor_units    numeric(30,0) NOT NULL DEFAULT 0 CHECK (minor_units >= 0),
  payments       integer       NOT NULL DEFAULT 0 CHECK (payments >= 0),
  PRIMARY KEY (participant_id, currency, day)
) WITH (fillfactor = 50);

CREATE TABLE payment_limit_reservations (
  payment_id     text   PRIMARY KEY,
  participant_id text   NOT NULL,
  currency       text   NOT NULL,
  day            date   NOT NULL,
  minor_units    bigint NOT NULL
);

-- The last payment of each likeness (participant, rail, amount, destination).
CREATE TABLE payment_look_alikes (
  likeness    text        PRIMARY KEY CHECK (likeness ~ '^[0-9a-f]{64}$'),
  payment_id  text        NOT NULL,
  received_at timestamptz NOT NULL
);
CREATE INDEX ix_payment_look_alikes_received ON payment_look_alikes (received_at);

-- Remarks for people; they hold nothing up.
CREATE TABLE payment_flags (
  payment_id    text        NOT NULL,
  reason_code   text        NOT NULL,
  reason_detail text        NOT NULL,
  flagged_at    timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (payment_id, reason_code)
);
