CREATE TABLE counter (
  noun TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  last BIGINT NOT NULL
);

INSERT INTO counter (noun, last) VALUES
  ('category', 0), ('pet', 0), ('order', 0), ('movement', 0), ('event', 0), ('key', 0);

CREATE TABLE category (
  id BIGINT NOT NULL PRIMARY KEY,
  name TEXT COLLATE "C" NOT NULL,
  name_key TEXT COLLATE "C" NOT NULL,
  description TEXT COLLATE "C",
  pet_count BIGINT NOT NULL CHECK (pet_count >= 0),
  version BIGINT NOT NULL,
  created_at TEXT COLLATE "C" NOT NULL,
  updated_at TEXT COLLATE "C" NOT NULL
);

CREATE INDEX category_by_name ON category (name_key, id);

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

CREATE TABLE orders (
  id BIGINT NOT NULL PRIMARY KEY,
  pet_id BIGINT NOT NULL,
  quantity BIGINT NOT NULL CHECK (quantity BETWEEN 1 AND 1000000),
  ship_date TEXT COLLATE "C",
  complete BIGINT NOT NULL CHECK (complete IN (0, 1)),
  version BIGINT NOT NULL,
  created_at TEXT COLLATE "C" NOT NULL,
  updated_at TEXT COLLATE "C" NOT NULL
);

CREATE INDEX orders_by_complete ON orders (complete, id);
CREATE INDEX orders_by_pet ON orders (pet_id, complete, id);
CREATE INDEX orders_by_ship_date ON orders (complete, ship_date, id) WHERE ship_date IS NOT NULL;
CREATE INDEX orders_by_pet_ship_date ON orders (pet_id, complete, ship_date, id) WHERE ship_date IS NOT NULL;
CREATE INDEX orders_by_day ON orders (created_at);

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
  at TEXT COLLATE "C" NOT NULL
);

CREATE UNIQUE INDEX event_by_position ON event (position);
CREATE INDEX event_without_position ON event (subject, subject_version, id) WHERE position IS NULL;

-- Two entries of the hash chain over the events: the last one, and the last one that retention has deleted.
CREATE TABLE chain (
  place TEXT COLLATE "C" NOT NULL PRIMARY KEY CHECK (place IN ('head', 'horizon')),
  position BIGINT NOT NULL,
  hash TEXT COLLATE "C" NOT NULL
);

INSERT INTO chain (place, position, hash) VALUES ('head', 0, ''), ('horizon', 0, '');

CREATE TABLE api_key (
  id BIGINT NOT NULL PRIMARY KEY,
  name TEXT COLLATE "C" NOT NULL,
  scopes TEXT COLLATE "C" NOT NULL,
  hint TEXT COLLATE "C" NOT NULL,
  hash TEXT COLLATE "C" NOT NULL UNIQUE,
  made_by TEXT COLLATE "C" NOT NULL CHECK (made_by IN ('first start', 'environment', 'key')),
  created_at TEXT COLLATE "C" NOT NULL,
  expires_at TEXT COLLATE "C",
  revoked_at TEXT COLLATE "C"
);

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
  PRIMARY KEY (import_id, file, line)
);
