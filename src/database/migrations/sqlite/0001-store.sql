CREATE TABLE counter (
  noun TEXT NOT NULL PRIMARY KEY,
  last INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO counter (noun, last) VALUES
  ('category', 0), ('pet', 0), ('order', 0), ('movement', 0), ('event', 0), ('key', 0);

CREATE TABLE category (
  id INTEGER NOT NULL PRIMARY KEY,
  name TEXT NOT NULL,
  name_key TEXT NOT NULL,
  description TEXT,
  pet_count INTEGER NOT NULL CHECK (pet_count >= 0),
  version INTEGER NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;

CREATE INDEX category_by_name ON category (name_key);

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

CREATE TABLE orders (
  id INTEGER NOT NULL PRIMARY KEY,
  pet_id INTEGER NOT NULL,
  quantity INTEGER NOT NULL CHECK (quantity BETWEEN 1 AND 1000000),
  ship_date TEXT,
  complete INTEGER NOT NULL CHECK (complete IN (0, 1)),
  version INTEGER NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;

CREATE INDEX orders_by_complete ON orders (complete);
CREATE INDEX orders_by_pet ON orders (pet_id, complete);
CREATE INDEX orders_by_ship_date ON orders (complete, ship_date) WHERE ship_date IS NOT NULL;
CREATE INDEX orders_by_pet_ship_date ON orders (pet_id, complete, ship_date) WHERE ship_date IS NOT NULL;
CREATE INDEX orders_by_day ON orders (created_at);

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
  at TEXT NOT NULL
) STRICT;

CREATE UNIQUE INDEX event_by_position ON event (position);

-- Two entries of the hash chain over the events: the last one, and the last one that retention has deleted.
CREATE TABLE chain (
  place TEXT NOT NULL PRIMARY KEY CHECK (place IN ('head', 'horizon')),
  position INTEGER NOT NULL,
  hash TEXT NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO chain (place, position, hash) VALUES ('head', 0, ''), ('horizon', 0, '');

CREATE TABLE api_key (
  id INTEGER NOT NULL PRIMARY KEY,
  name TEXT NOT NULL,
  scopes TEXT NOT NULL,
  hint TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE,
  made_by TEXT NOT NULL CHECK (made_by IN ('first start', 'environment', 'key')),
  created_at TEXT NOT NULL,
  expires_at TEXT,
  revoked_at TEXT
) STRICT;

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
  PRIMARY KEY (import_id, file, line)
) STRICT, WITHOUT ROWID;
