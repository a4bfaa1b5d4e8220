INSERT INTO counter (noun, last) VALUES ('webhook', 0), ('delivery', 0);

-- `slot`: it is unique and at most 100, so a store has at most 100 webhooks.
-- `position`: each event up to this position has a delivery, or the webhook does not receive it.
-- `begun`: whether the event about the creation of the webhook has been read.
-- `leased_by`: the process that delivers to the webhook, until `leased_until`.
CREATE TABLE webhook (
  id BIGINT NOT NULL PRIMARY KEY,
  slot BIGINT NOT NULL UNIQUE CHECK (slot BETWEEN 1 AND 100),
  url TEXT COLLATE "C" NOT NULL,
  types TEXT COLLATE "C",
  description TEXT COLLATE "C",
  enabled BIGINT NOT NULL CHECK (enabled IN (0, 1)),
  disabled_reason TEXT COLLATE "C" CHECK (disabled_reason IN ('asked', 'gone', 'failing')),
  secret TEXT COLLATE "C" NOT NULL,
  previous_secret TEXT COLLATE "C",
  previous_until TEXT COLLATE "C",
  position BIGINT NOT NULL,
  failures BIGINT NOT NULL CHECK (failures >= 0),
  failing_since TEXT COLLATE "C",
  begun BIGINT NOT NULL CHECK (begun IN (0, 1)),
  leased_by TEXT COLLATE "C",
  leased_until TEXT COLLATE "C",
  version BIGINT NOT NULL,
  created_at TEXT COLLATE "C" NOT NULL,
  updated_at TEXT COLLATE "C" NOT NULL,
  CHECK ((enabled = 1) = (disabled_reason IS NULL)),
  CHECK ((failures = 0) = (failing_since IS NULL)),
  CHECK ((previous_secret IS NULL) = (previous_until IS NULL)),
  CHECK ((leased_by IS NULL) = (leased_until IS NULL))
);

CREATE TABLE delivery (
  id BIGINT NOT NULL PRIMARY KEY,
  webhook_id BIGINT NOT NULL,
  position BIGINT NOT NULL,
  event_id BIGINT NOT NULL,
  event_type TEXT COLLATE "C" NOT NULL,
  state TEXT COLLATE "C" NOT NULL CHECK (state IN ('pending', 'delivered', 'failed')),
  attempts BIGINT NOT NULL CHECK (attempts > 0),
  round_attempts BIGINT NOT NULL CHECK (round_attempts BETWEEN 0 AND attempts),
  next_at TEXT COLLATE "C",
  created_at TEXT COLLATE "C" NOT NULL,
  updated_at TEXT COLLATE "C" NOT NULL,
  UNIQUE (webhook_id, position),
  CHECK ((state = 'pending') = (next_at IS NOT NULL))
);

CREATE INDEX delivery_due ON delivery (webhook_id, next_at) WHERE state = 'pending';
CREATE INDEX delivery_by_webhook ON delivery (webhook_id, id);
CREATE INDEX delivery_by_state ON delivery (webhook_id, state, id);
CREATE INDEX delivery_by_age ON delivery (updated_at) WHERE state <> 'pending';

CREATE TABLE attempt (
  delivery_id BIGINT NOT NULL,
  number BIGINT NOT NULL CHECK (number > 0),
  at TEXT COLLATE "C" NOT NULL,
  duration_ms BIGINT NOT NULL CHECK (duration_ms >= 0),
  status BIGINT,
  error TEXT COLLATE "C",
  reply TEXT COLLATE "C",
  PRIMARY KEY (delivery_id, number),
  CHECK ((status IS NULL) <> (error IS NULL))
);

-- Values that the store keeps about itself. The value of `secret-key` is encrypted with the key that encrypts webhook
-- secrets.
CREATE TABLE note (
  name TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  value TEXT COLLATE "C" NOT NULL
);
