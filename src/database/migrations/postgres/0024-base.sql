-- The last id of each noun.
CREATE TABLE counter (
  noun TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  last BIGINT NOT NULL
);

INSERT INTO counter (noun, last) VALUES
  ('category', 0), ('pet', 0), ('order', 0), ('movement', 0), ('event', 0), ('key', 0), ('webhook', 0), ('delivery', 0),
  ('sale', 0);

-- `sort_key`: the folded name, by which lists are sorted.
CREATE TABLE category (
  id BIGINT NOT NULL PRIMARY KEY,
  name TEXT COLLATE "C" NOT NULL,
  name_key TEXT COLLATE "C" NOT NULL,
  description TEXT COLLATE "C",
  pet_count BIGINT NOT NULL CHECK (pet_count >= 0),
  version BIGINT NOT NULL,
  created_at TEXT COLLATE "C" NOT NULL,
  updated_at TEXT COLLATE "C" NOT NULL,
  sort_key TEXT COLLATE "C" NOT NULL DEFAULT ''
);

CREATE INDEX category_by_name ON category (name_key, id);
CREATE INDEX category_by_sort_key ON category (sort_key, id);

-- `reorder_at`: the level at which the pet should be reordered.
-- `sort_key`: the folded name, by which lists are sorted.
-- `price`: amounts are integers in minor units of the currency of the store, which `metadata` names.
CREATE TABLE pet (
  id BIGINT NOT NULL PRIMARY KEY,
  name TEXT COLLATE "C" NOT NULL,
  name_key TEXT COLLATE "C" NOT NULL,
  category_id BIGINT NOT NULL,
  on_hold BIGINT NOT NULL CHECK (on_hold IN (0, 1)),
  quantity BIGINT NOT NULL CHECK (quantity BETWEEN 0 AND 1000000000),
  reserved BIGINT NOT NULL,
  status TEXT COLLATE "C" NOT NULL,
  version BIGINT NOT NULL,
  created_at TEXT COLLATE "C" NOT NULL,
  updated_at TEXT COLLATE "C" NOT NULL,
  reorder_at BIGINT CHECK (reorder_at BETWEEN 0 AND 1000000000),
  sort_key TEXT COLLATE "C" NOT NULL DEFAULT '',
  price BIGINT CHECK (price BETWEEN 0 AND 1000000000000),
  barcode TEXT COLLATE "C",
  CHECK (reserved BETWEEN 0 AND quantity),
  CHECK (on_hold = 0 OR quantity > 0),
  CHECK (status = CASE WHEN quantity = 0 THEN 'sold'
                       WHEN on_hold = 1 OR quantity = reserved THEN 'pending'
                       ELSE 'available' END)
);

CREATE INDEX pet_by_name ON pet (name_key, id);
CREATE INDEX pet_by_status ON pet (status, id);
CREATE INDEX pet_by_status_name ON pet (status, name_key, id);
CREATE INDEX pet_by_category ON pet (category_id, status, id);
CREATE INDEX pet_by_category_name ON pet (category_id, status, name_key, id);
CREATE INDEX pet_by_quantity ON pet (status, quantity, id);
CREATE INDEX pet_by_sort_key ON pet (sort_key, id);
CREATE INDEX pet_by_status_sort_key ON pet (status, sort_key, id);
CREATE INDEX pet_by_category_sort_key ON pet (category_id, status, sort_key, id);
-- It contains only the pets that are at or below their level.
CREATE INDEX pet_to_reorder ON pet (quantity, id) WHERE quantity <= reorder_at;

-- The folded words of the names of pets: a search is a scan of this table.
CREATE TABLE pet_word (
  word TEXT COLLATE "C" NOT NULL,
  pet_id BIGINT NOT NULL,
  PRIMARY KEY (word, pet_id)
);

-- The key decides which of two pets gets a barcode; the column of the pet repeats it, so that no list joins two tables.
CREATE TABLE pet_barcode (
  barcode TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  pet_id BIGINT NOT NULL
);

-- `reference`: the client's own name for the order. Most orders have none, so its indexes contain only those with one.
-- `pet_name`, `unit_price`: what was sold; a later name, another price or the deletion of the pet does not change an
-- order.
-- `receipt`: the id of the first order that was sold with this one; null while the order is open.
-- `returned`: the units that came back.
CREATE TABLE orders (
  id BIGINT NOT NULL PRIMARY KEY,
  pet_id BIGINT NOT NULL,
  quantity BIGINT NOT NULL CHECK (quantity BETWEEN 1 AND 1000000),
  ship_date TEXT COLLATE "C",
  complete BIGINT NOT NULL CHECK (complete IN (0, 1)),
  version BIGINT NOT NULL,
  created_at TEXT COLLATE "C" NOT NULL,
  updated_at TEXT COLLATE "C" NOT NULL,
  reference TEXT COLLATE "C",
  pet_name TEXT COLLATE "C",
  unit_price BIGINT CHECK (unit_price BETWEEN 0 AND 1000000000000),
  completed_at TEXT COLLATE "C",
  receipt BIGINT,
  returned BIGINT NOT NULL DEFAULT 0 CHECK (returned BETWEEN 0 AND quantity),
  CONSTRAINT orders_receipt CHECK ((complete = 1) = (receipt IS NOT NULL))
);

CREATE INDEX orders_by_complete ON orders (complete, id);
-- Orders by the time at which they were placed: the orders of a day.
CREATE INDEX orders_by_created ON orders (complete, created_at, id);
CREATE INDEX orders_by_pet ON orders (pet_id, complete, id);
CREATE INDEX orders_by_ship_date ON orders (complete, ship_date, id) WHERE ship_date IS NOT NULL;
CREATE INDEX orders_by_pet_ship_date ON orders (pet_id, complete, ship_date, id) WHERE ship_date IS NOT NULL;
CREATE INDEX orders_by_reference ON orders (reference, id) WHERE reference IS NOT NULL;
CREATE INDEX orders_by_reference_ship_date ON orders (reference, ship_date, id)
  WHERE reference IS NOT NULL AND ship_date IS NOT NULL;

-- The books: a line for each completed order, and one with a negative quantity for each return. No line is changed or
-- deleted. The key begins with the receipt, because each sale writes every index of this table.
-- `pet_name`: null in the line of an order of an earlier version for a pet that was deleted.
-- `key_id`: the key that sold or took back; null in the lines of earlier versions.
CREATE TABLE sale_line (
  id BIGINT NOT NULL,
  at TEXT COLLATE "C" NOT NULL,
  receipt BIGINT NOT NULL,
  order_id BIGINT NOT NULL,
  pet_id BIGINT NOT NULL,
  pet_name TEXT COLLATE "C",
  quantity BIGINT NOT NULL CHECK (quantity <> 0 AND quantity BETWEEN -1000000 AND 1000000),
  unit_price BIGINT CHECK (unit_price * abs(quantity) BETWEEN 0 AND 1000000000000),
  note TEXT COLLATE "C",
  restocked BIGINT CHECK (restocked IN (0, 1)),
  key_id BIGINT,
  PRIMARY KEY (receipt, id),
  CHECK ((quantity < 0) = (restocked IS NOT NULL))
);

CREATE INDEX sale_line_by_time ON sale_line (at, id);
CREATE INDEX sale_line_by_pet ON sale_line (pet_id, at, id);

-- The sums of the lines of each quarter-hour of UTC, such as '2026-11-22T10:15'. A day begins at another instant in each
-- time zone, and all zones of today begin their days at a quarter-hour.
CREATE TABLE sales_total (
  quarter_hour TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  lines BIGINT NOT NULL,
  units BIGINT NOT NULL,
  amount BIGINT NOT NULL,
  returned_units BIGINT NOT NULL,
  returned_amount BIGINT NOT NULL
);

CREATE TABLE movement (
  pet_id BIGINT NOT NULL,
  version BIGINT NOT NULL,
  id BIGINT NOT NULL,
  quantity_change BIGINT NOT NULL,
  reserved_change BIGINT NOT NULL,
  quantity BIGINT NOT NULL,
  reserved BIGINT NOT NULL,
  reason TEXT COLLATE "C" NOT NULL,
  note TEXT COLLATE "C",
  order_id BIGINT,
  at TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (pet_id, version),
  CHECK (quantity_change <> 0 OR reserved_change <> 0)
);

-- The totals that the summary shows, such as 'pets/available' and 'units/onHand'. A day begins at another instant in each
-- time zone, so orders are counted by quarter-hour of UTC, such as 'orders/placed/2026-11-22T10:15'. All zones of today
-- begin their days at one.
CREATE TABLE total (
  name TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  value BIGINT NOT NULL
);

INSERT INTO total (name, value) VALUES ('units/onHand', 0), ('units/reserved', 0), ('orders/open', 0);

-- `pet_id`: the pet that the event is about. The event reports a change of the pet, of its stock, or of an order for it.
-- `traceparent`: the trace of the request that made the change (W3C Trace Context), if it named one.
CREATE TABLE event (
  id BIGINT NOT NULL PRIMARY KEY,
  position BIGINT,
  hash TEXT COLLATE "C",
  type TEXT COLLATE "C" NOT NULL,
  subject TEXT COLLATE "C" NOT NULL,
  subject_version BIGINT NOT NULL,
  data TEXT COLLATE "C" NOT NULL,
  key_id BIGINT,
  request_id TEXT COLLATE "C" NOT NULL,
  at TEXT COLLATE "C" NOT NULL,
  pet_id BIGINT,
  traceparent TEXT COLLATE "C"
);

CREATE UNIQUE INDEX event_by_position ON event (position);
-- The index begins with the pet. If it began with blocks of positions, a read of the events of one pet would search
-- every block, which took 8 ms in a store with a million pets.
CREATE INDEX event_by_pet ON event (pet_id, position) WHERE pet_id IS NOT NULL AND position IS NOT NULL;

-- Events that are committed and have no position yet: all events of a transaction, or some of them, as a JSON array, with
-- the changes of the totals by them. The sequencer moves them into the table `event`. The ids are in the order in which
-- the transactions held their rows: if two of them change one resource, the later one has the greater id.
CREATE TABLE event_batch (
  id BIGINT NOT NULL GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  events TEXT COLLATE "C" NOT NULL,
  totals TEXT COLLATE "C"
);

-- The two ends of the hash chain over the events: the last entry (the head), and the last entry that retention has
-- deleted (the floor).
CREATE TABLE chain_end (
  name TEXT COLLATE "C" NOT NULL PRIMARY KEY CHECK (name IN ('head', 'floor')),
  position BIGINT NOT NULL,
  hash TEXT COLLATE "C" NOT NULL
);

INSERT INTO chain_end (name, position, hash) VALUES ('head', 0, ''), ('floor', 0, '');

-- The positions that a restored store skips. The hash chain continues after them.
CREATE TABLE chain_gap (
  after_position BIGINT NOT NULL PRIMARY KEY,
  to_position BIGINT NOT NULL CHECK (to_position > after_position),
  at TEXT NOT NULL
);

-- `version`: counts the changes of the key. A key can change more than once: PETSTORE_ADMIN_KEY can restore a revoked
-- key, which can then be revoked again.
CREATE TABLE api_key (
  id BIGINT NOT NULL PRIMARY KEY,
  name TEXT COLLATE "C" NOT NULL,
  scopes TEXT COLLATE "C" NOT NULL,
  hint TEXT COLLATE "C" NOT NULL,
  hash TEXT COLLATE "C" NOT NULL UNIQUE,
  made_by TEXT COLLATE "C" NOT NULL CHECK (made_by IN ('first start', 'environment', 'key')),
  created_at TEXT COLLATE "C" NOT NULL,
  expires_at TEXT COLLATE "C",
  revoked_at TEXT COLLATE "C",
  version BIGINT NOT NULL DEFAULT 1
);

-- A key on its way to another browser, encrypted under a code. The store keeps only the hash of the code.
-- `key_hash`: the hash of the key that the code hands over: another code for the same key ends it.
CREATE TABLE handover (
  hash TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  encrypted_key TEXT COLLATE "C" NOT NULL,
  expires_at TEXT COLLATE "C" NOT NULL,
  key_hash TEXT COLLATE "C"
);

CREATE INDEX handover_by_age ON handover (expires_at);

CREATE TABLE reply (
  owner TEXT COLLATE "C" NOT NULL,
  operation TEXT COLLATE "C" NOT NULL,
  idempotency_key TEXT COLLATE "C" NOT NULL,
  fingerprint TEXT COLLATE "C" NOT NULL,
  status BIGINT NOT NULL,
  body TEXT COLLATE "C",
  etag TEXT COLLATE "C",
  location TEXT COLLATE "C",
  at TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (owner, operation, idempotency_key)
);

CREATE INDEX reply_by_age ON reply (at);

CREATE TABLE staged_row (
  import_id BIGINT NOT NULL,
  file TEXT COLLATE "C" NOT NULL CHECK (file IN ('categories', 'pets')),
  line BIGINT NOT NULL,
  name TEXT COLLATE "C" NOT NULL,
  detail TEXT COLLATE "C",
  quantity BIGINT NOT NULL,
  hold BIGINT NOT NULL CHECK (hold IN (0, 1)),
  at TEXT COLLATE "C" NOT NULL,
  reorder_at BIGINT,
  price BIGINT,
  barcode TEXT COLLATE "C",
  PRIMARY KEY (import_id, file, line)
);

-- What each import has changed, so that it can be taken back. `taken_back`: how many of its changes have been.
CREATE TABLE import (
  id BIGINT NOT NULL PRIMARY KEY,
  at TEXT COLLATE "C" NOT NULL,
  key_id BIGINT,
  categories_created BIGINT NOT NULL,
  pets_created BIGINT NOT NULL,
  pets_updated BIGINT NOT NULL,
  taken_back BIGINT NOT NULL
);

CREATE INDEX import_by_age ON import (at);

-- `version`: that of the row after the import. If it is another one now, the row was changed since.
-- `version_before` and those after it: what a pet had before the import updated it; null for a row that it created.
CREATE TABLE import_change (
  import_id BIGINT NOT NULL,
  file TEXT COLLATE "C" NOT NULL CHECK (file IN ('categories', 'pets')),
  row_id BIGINT NOT NULL,
  version BIGINT NOT NULL,
  version_before BIGINT,
  category_id BIGINT,
  price BIGINT,
  barcode TEXT COLLATE "C",
  quantity BIGINT,
  reorder_at BIGINT,
  on_hold BIGINT,
  PRIMARY KEY (import_id, file, row_id)
);

-- Finds the earlier imports of a pet when a later one is taken back.
CREATE INDEX import_change_by_row ON import_change (row_id, version);

-- `slot`: it is unique and at most 100, so a store has at most 100 webhooks.
-- `position`: each event up to this position has a delivery, or the webhook does not receive it.
-- `seen_creation`: whether the event about the creation of the webhook has been read.
-- `leased_by`: the process that delivers to the webhook, until `leased_until`.
-- `last_failure_at`, `failing_ms`: the last failed attempt, and the time for which attempts have failed, without the time
-- in which nothing was attempted. A store that was off for a week has not tried for a week.
-- `webhook_begun_check`: the constraint is named after an earlier name of its column.
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
  seen_creation BIGINT NOT NULL CONSTRAINT webhook_begun_check CHECK (seen_creation IN (0, 1)),
  leased_by TEXT COLLATE "C",
  leased_until TEXT COLLATE "C",
  version BIGINT NOT NULL,
  created_at TEXT COLLATE "C" NOT NULL,
  updated_at TEXT COLLATE "C" NOT NULL,
  last_failure_at TEXT COLLATE "C",
  failing_ms BIGINT,
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
  cycle_attempts BIGINT NOT NULL CHECK (cycle_attempts BETWEEN 0 AND attempts),
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
-- secrets. `note_pkey`: the key is named after an earlier name of the table.
CREATE TABLE metadata (
  name TEXT COLLATE "C" NOT NULL CONSTRAINT note_pkey PRIMARY KEY,
  value TEXT COLLATE "C" NOT NULL
);

-- One row for each command that has committed, until a sweep deletes it. If the response to a COMMIT is lost, the
-- command runs again: if its row exists, the first run has committed. A process deletes its own rows when their
-- commands have ended, and rows of any process after 7 days.
CREATE TABLE execution (
  process BIGINT NOT NULL,
  number BIGINT NOT NULL,
  at TEXT NOT NULL,
  PRIMARY KEY (process, number)
);
