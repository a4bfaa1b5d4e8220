INSERT INTO counter (noun, last) VALUES ('webhook', 0), ('delivery', 0);

-- `slot`: it is unique and at most 100, so a store has at most 100 webhooks.
-- `position`: each event up to this position has a delivery, or the webhook does not receive it.
-- `begun`: whether the event about the creation of the webhook has been read.
-- `leased_by`: the process that delivers to the webhook, until `leased_until`.
CREATE TABLE webhook (
  id INTEGER NOT NULL PRIMARY KEY,
  slot INTEGER NOT NULL UNIQUE CHECK (slot BETWEEN 1 AND 100),
  url TEXT NOT NULL,
  types TEXT,
  description TEXT,
  enabled INTEGER NOT NULL CHECK (enabled IN (0, 1)),
  disabled_reason TEXT CHECK (disabled_reason IN ('asked', 'gone', 'failing')),
  secret TEXT NOT NULL,
  previous_secret TEXT,
  previous_until TEXT,
  position INTEGER NOT NULL,
  failures INTEGER NOT NULL CHECK (failures >= 0),
  failing_since TEXT,
  begun INTEGER NOT NULL CHECK (begun IN (0, 1)),
  leased_by TEXT,
  leased_until TEXT,
  version INTEGER NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  CHECK ((enabled = 1) = (disabled_reason IS NULL)),
  CHECK ((failures = 0) = (failing_since IS NULL)),
  CHECK ((previous_secret IS NULL) = (previous_until IS NULL)),
  CHECK ((leased_by IS NULL) = (leased_until IS NULL))
) STRICT;

CREATE TABLE delivery (
  id INTEGER NOT NULL PRIMARY KEY,
  webhook_id INTEGER NOT NULL,
  position INTEGER NOT NULL,
  event_id INTEGER NOT NULL,
  event_type TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('pending', 'delivered', 'failed')),
  attempts INTEGER NOT NULL CHECK (attempts > 0),
  round_attempts INTEGER NOT NULL CHECK (round_attempts BETWEEN 0 AND attempts),
  next_at TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  UNIQUE (webhook_id, position),
  CHECK ((state = 'pending') = (next_at IS NOT NULL))
) STRICT;

CREATE INDEX delivery_due ON delivery (webhook_id, next_at) WHERE state = 'pending';
CREATE INDEX delivery_by_webhook ON delivery (webhook_id);
CREATE INDEX delivery_by_state ON delivery (webhook_id, state);
CREATE INDEX delivery_by_age ON delivery (updated_at) WHERE state <> 'pending';

CREATE TABLE attempt (
  delivery_id INTEGER NOT NULL,
  number INTEGER NOT NULL CHECK (number > 0),
  at TEXT NOT NULL,
  duration_ms INTEGER NOT NULL CHECK (duration_ms >= 0),
  status INTEGER,
  error TEXT,
  reply TEXT,
  PRIMARY KEY (delivery_id, number),
  CHECK ((status IS NULL) <> (error IS NULL))
) STRICT, WITHOUT ROWID;

-- Values that the store keeps about itself. The value of `secret-key` is encrypted with the key that encrypts webhook
-- secrets.
CREATE TABLE note (
  name TEXT NOT NULL PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
