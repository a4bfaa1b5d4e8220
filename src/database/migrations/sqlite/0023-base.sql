-- The last id of each noun.
CREATE TABLE counter (
  noun TEXT NOT NULL PRIMARY KEY,
  last INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO counter (noun, last) VALUES
  ('category', 0), ('pet', 0), ('order', 0), ('movement', 0), ('event', 0), ('key', 0), ('webhook', 0), ('delivery', 0),
  ('sale', 0);

-- `sort_key`: the folded name, by which lists are sorted.
CREATE TABLE category (
  id INTEGER NOT NULL PRIMARY KEY,
  name TEXT NOT NULL,
  name_key TEXT NOT NULL,
  description TEXT,
  pet_count INTEGER NOT NULL CHECK (pet_count >= 0),
  version INTEGER NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  sort_key TEXT NOT NULL DEFAULT ''
) STRICT;

CREATE INDEX category_by_name ON category (name_key);
CREATE INDEX category_by_sort_key ON category (sort_key);

-- `reorder_at`: the level at which the pet should be reordered.
-- `sort_key`: the folded name, by which lists are sorted.
-- `price`: amounts are integers in minor units of the currency of the store, which `metadata` names.
CREATE TABLE pet (
  id INTEGER NOT NULL PRIMARY KEY,
  name TEXT NOT NULL,
  name_key TEXT NOT NULL,
  category_id INTEGER NOT NULL,
  on_hold INTEGER NOT NULL CHECK (on_hold IN (0, 1)),
  quantity INTEGER NOT NULL CHECK (quantity BETWEEN 0 AND 1000000000),
  reserved INTEGER NOT NULL,
  status TEXT NOT NULL,
  version INTEGER NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  reorder_at INTEGER CHECK (reorder_at BETWEEN 0 AND 1000000000),
  sort_key TEXT NOT NULL DEFAULT '',
  price INTEGER CHECK (price BETWEEN 0 AND 1000000000000),
  barcode TEXT,
  CHECK (reserved BETWEEN 0 AND quantity),
  CHECK (on_hold = 0 OR quantity > 0),
  CHECK (status = CASE WHEN quantity = 0 THEN 'sold'
                       WHEN on_hold = 1 OR quantity = reserved THEN 'pending'
                       ELSE 'available' END)
) STRICT;

CREATE INDEX pet_by_name ON pet (name_key);
CREATE INDEX pet_by_status ON pet (status);
CREATE INDEX pet_by_status_name ON pet (status, name_key);
CREATE INDEX pet_by_category ON pet (category_id, status);
CREATE INDEX pet_by_category_name ON pet (category_id, status, name_key);
CREATE INDEX pet_by_quantity ON pet (status, quantity);
CREATE INDEX pet_by_sort_key ON pet (sort_key);
CREATE INDEX pet_by_status_sort_key ON pet (status, sort_key);
CREATE INDEX pet_by_category_sort_key ON pet (category_id, status, sort_key);
-- It contains only the pets that are at or below their level.
CREATE INDEX pet_to_reorder ON pet (quantity) WHERE quantity <= reorder_at;

-- The folded words of the names of pets: a search is a scan of this table.
CREATE TABLE pet_word (
  word TEXT NOT NULL,
  pet_id INTEGER NOT NULL,
  PRIMARY KEY (word, pet_id)
) STRICT, WITHOUT ROWID;

-- The key decides which of two pets gets a barcode; the column of the pet repeats it, so that no list joins two tables.
CREATE TABLE pet_barcode (
  barcode TEXT NOT NULL PRIMARY KEY,
  pet_id INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- `reference`: the client's own name for the order. Most orders have none, so its indexes contain only those with one.
-- `pet_name`, `unit_price`: what was sold; a later name, another price or the deletion of the pet does not change an
-- order.
-- `receipt`: the id of the first order that was sold with this one; null while the order is open.
-- `returned`: the units that came back.
CREATE TABLE orders (
  id INTEGER NOT NULL PRIMARY KEY,
  pet_id INTEGER NOT NULL,
  quantity INTEGER NOT NULL CHECK (quantity BETWEEN 1 AND 1000000),
  ship_date TEXT,
  complete INTEGER NOT NULL CHECK (complete IN (0, 1)),
  version INTEGER NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  reference TEXT,
  pet_name TEXT,
  unit_price INTEGER CHECK (unit_price BETWEEN 0 AND 1000000000000),
  completed_at TEXT,
  receipt INTEGER,
  returned INTEGER NOT NULL DEFAULT 0 CHECK (returned BETWEEN 0 AND quantity)
) STRICT;

CREATE INDEX orders_by_complete ON orders (complete);
-- Orders by the time at which they were placed: the orders of a day.
CREATE INDEX orders_by_created ON orders (complete, created_at);
CREATE INDEX orders_by_pet ON orders (pet_id, complete);
CREATE INDEX orders_by_ship_date ON orders (complete, ship_date) WHERE ship_date IS NOT NULL;
CREATE INDEX orders_by_pet_ship_date ON orders (pet_id, complete, ship_date) WHERE ship_date IS NOT NULL;
CREATE INDEX orders_by_reference ON orders (reference) WHERE reference IS NOT NULL;
CREATE INDEX orders_by_reference_ship_date ON orders (reference, ship_date)
  WHERE reference IS NOT NULL AND ship_date IS NOT NULL;

-- The books: a line for each completed order, and one with a negative quantity for each return. No line is changed or
-- deleted. The key begins with the receipt, because each sale writes every index of this table.
-- `pet_name`: null in the line of an order of an earlier version for a pet that was deleted.
-- `key_id`: the key that sold or took back; null in the lines of earlier versions.
CREATE TABLE sale_line (
  id INTEGER NOT NULL,
  at TEXT NOT NULL,
  receipt INTEGER NOT NULL,
  order_id INTEGER NOT NULL,
  pet_id INTEGER NOT NULL,
  pet_name TEXT,
  quantity INTEGER NOT NULL CHECK (quantity <> 0 AND quantity BETWEEN -1000000 AND 1000000),
  unit_price INTEGER CHECK (unit_price * abs(quantity) BETWEEN 0 AND 1000000000000),
  note TEXT,
  restocked INTEGER CHECK (restocked IN (0, 1)),
  key_id INTEGER,
  PRIMARY KEY (receipt, id),
  CHECK ((quantity < 0) = (restocked IS NOT NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX sale_line_by_time ON sale_line (at, id);
CREATE INDEX sale_line_by_pet ON sale_line (pet_id, at, id);

-- The sums of the lines of each quarter-hour of UTC, such as '2026-11-22T10:15'. A day begins at another instant in each
-- time zone, and all zones of today begin their days at a quarter-hour.
CREATE TABLE sales_total (
  quarter_hour TEXT NOT NULL PRIMARY KEY,
  lines INTEGER NOT NULL,
  units INTEGER NOT NULL,
  amount INTEGER NOT NULL,
  returned_units INTEGER NOT NULL,
  returned_amount INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE movement (
  pet_id INTEGER NOT NULL,
  version INTEGER NOT NULL,
  id INTEGER NOT NULL,
  quantity_change INTEGER NOT NULL,
  reserved_change INTEGER NOT NULL,
  quantity INTEGER NOT NULL,
  reserved INTEGER NOT NULL,
  reason TEXT NOT NULL,
  note TEXT,
  order_id INTEGER,
  at TEXT NOT NULL,
  PRIMARY KEY (pet_id, version),
  CHECK (quantity_change <> 0 OR reserved_change <> 0)
) STRICT, WITHOUT ROWID;

-- The totals that the summary shows, such as 'pets/available' and 'units/onHand'. A day begins at another instant in each
-- time zone, so orders are counted by quarter-hour of UTC, such as 'orders/placed/2026-11-22T10:15'. All zones of today
-- begin their days at one.
CREATE TABLE total (
  name TEXT NOT NULL PRIMARY KEY,
  value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO total (name, value) VALUES ('units/onHand', 0), ('units/reserved', 0), ('orders/open', 0);

-- `pet_id`: the pet that the event is about. The event reports a change of the pet, of its stock, or of an order for it.
-- `traceparent`: the trace of the request that made the change (W3C Trace Context), if it named one.
CREATE TABLE event (
  id INTEGER NOT NULL PRIMARY KEY,
  position INTEGER,
  hash TEXT,
  type TEXT NOT NULL,
  subject TEXT NOT NULL,
  subject_version INTEGER NOT NULL,
  data TEXT NOT NULL,
  key_id INTEGER,
  request_id TEXT NOT NULL,
  at TEXT NOT NULL,
  pet_id INTEGER,
  traceparent TEXT
) STRICT;

CREATE UNIQUE INDEX event_by_position ON event (position);
-- The index begins with the pet. If it began with blocks of positions, a read of the events of one pet would search
-- every block, which took 8 ms in a store with a million pets.
CREATE INDEX event_by_pet ON event (pet_id, position) WHERE pet_id IS NOT NULL;

-- Only a store that was copied from PostgreSQL has rows here: events that had no position yet.
CREATE TABLE event_batch (
  id INTEGER NOT NULL PRIMARY KEY,
  events TEXT NOT NULL,
  totals TEXT
) STRICT;

-- The two ends of the hash chain over the events: the last entry (the head), and the last entry that retention has
-- deleted (the floor).
CREATE TABLE chain_end (
  name TEXT NOT NULL PRIMARY KEY CHECK (name IN ('head', 'floor')),
  position INTEGER NOT NULL,
  hash TEXT NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO chain_end (name, position, hash) VALUES ('head', 0, ''), ('floor', 0, '');

-- The positions that a restored store skips. The hash chain continues after them.
CREATE TABLE chain_gap (
  after_position INTEGER NOT NULL PRIMARY KEY,
  to_position INTEGER NOT NULL CHECK (to_position > after_position),
  at TEXT NOT NULL
) STRICT;

-- `version`: counts the changes of the key. A key can change more than once: PETSTORE_ADMIN_KEY can restore a revoked
-- key, which can then be revoked again.
CREATE TABLE api_key (
  id INTEGER NOT NULL PRIMARY KEY,
  name TEXT NOT NULL,
  scopes TEXT NOT NULL,
  hint TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE,
  made_by TEXT NOT NULL CHECK (made_by IN ('first start', 'environment', 'key')),
  created_at TEXT NOT NULL,
  expires_at TEXT,
  revoked_at TEXT,
  version INTEGER NOT NULL DEFAULT 1
) STRICT;

-- A key on its way to another browser, encrypted under a code. The store keeps only the hash of the code.
-- `key_hash`: the hash of the key that the code hands over: another code for the same key ends it.
CREATE TABLE handover (
  hash TEXT NOT NULL PRIMARY KEY,
  encrypted_key TEXT NOT NULL,
  expires_at TEXT NOT NULL,
  key_hash TEXT
) STRICT, WITHOUT ROWID;

CREATE INDEX handover_by_age ON handover (expires_at);

CREATE TABLE reply (
  owner TEXT NOT NULL,
  operation TEXT NOT NULL,
  idempotency_key TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  status INTEGER NOT NULL,
  body TEXT,
  etag TEXT,
  location TEXT,
  at TEXT NOT NULL,
  PRIMARY KEY (owner, operation, idempotency_key)
) STRICT, WITHOUT ROWID;

CREATE INDEX reply_by_age ON reply (at);

CREATE TABLE staged_row (
  import_id INTEGER NOT NULL,
  file TEXT NOT NULL CHECK (file IN ('categories', 'pets')),
  line INTEGER NOT NULL,
  name TEXT NOT NULL,
  detail TEXT,
  quantity INTEGER NOT NULL,
  hold INTEGER NOT NULL CHECK (hold IN (0, 1)),
  at TEXT NOT NULL,
  reorder_at INTEGER,
  price INTEGER,
  barcode TEXT,
  PRIMARY KEY (import_id, file, line)
) STRICT, WITHOUT ROWID;

-- What each import has changed, so that it can be taken back. `taken_back`: how many of its changes have been.
CREATE TABLE import (
  id INTEGER NOT NULL PRIMARY KEY,
  at TEXT NOT NULL,
  key_id INTEGER,
  categories_created INTEGER NOT NULL,
  pets_created INTEGER NOT NULL,
  pets_updated INTEGER NOT NULL,
  taken_back INTEGER NOT NULL
) STRICT;

CREATE INDEX import_by_age ON import (at);

-- `version`: that of the row after the import. If it is another one now, the row was changed since.
-- `version_before` and those after it: what a pet had before the import updated it; null for a row that it created.
CREATE TABLE import_change (
  import_id INTEGER NOT NULL,
  file TEXT NOT NULL CHECK (file IN ('categories', 'pets')),
  row_id INTEGER NOT NULL,
  version INTEGER NOT NULL,
  version_before INTEGER,
  category_id INTEGER,
  price INTEGER,
  barcode TEXT,
  quantity INTEGER,
  reorder_at INTEGER,
  on_hold INTEGER,
  PRIMARY KEY (import_id, file, row_id)
) STRICT, WITHOUT ROWID;

-- Finds the earlier imports of a pet when a later one is taken back.
CREATE INDEX import_change_by_row ON import_change (row_id, version);

-- `slot`: it is unique and at most 100, so a store has at most 100 webhooks.
-- `position`: each event up to this position has a delivery, or the webhook does not receive it.
-- `seen_creation`: whether the event about the creation of the webhook has been read.
-- `leased_by`: the process that delivers to the webhook, until `leased_until`.
-- `last_failure_at`, `failing_ms`: the last failed attempt, and the time for which attempts have failed, without the time
-- in which nothing was attempted. A store that was off for a week has not tried for a week.
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
  seen_creation INTEGER NOT NULL CHECK (seen_creation IN (0, 1)),
  leased_by TEXT,
  leased_until TEXT,
  version INTEGER NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  last_failure_at TEXT,
  failing_ms INTEGER,
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
  cycle_attempts INTEGER NOT NULL CHECK (cycle_attempts BETWEEN 0 AND attempts),
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
CREATE TABLE metadata (
  name TEXT NOT NULL PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
