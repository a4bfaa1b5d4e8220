-- A store that commit 677f627 made on SQLite, with rows in each table. This file never changes.

CREATE TABLE counter (noun TEXT NOT NULL PRIMARY KEY, last INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE category (id INTEGER NOT NULL PRIMARY KEY, name TEXT NOT NULL, name_key TEXT NOT NULL, description TEXT, pet_count INTEGER NOT NULL CHECK (pet_count >= 0), version INTEGER NOT NULL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL) STRICT;
CREATE TABLE pet (id INTEGER NOT NULL PRIMARY KEY, name TEXT NOT NULL, name_key TEXT NOT NULL, category_id INTEGER NOT NULL, on_hold INTEGER NOT NULL CHECK (on_hold IN (0, 1)), quantity INTEGER NOT NULL CHECK (quantity BETWEEN 0 AND 1000000000), reserved INTEGER NOT NULL, status TEXT NOT NULL, version INTEGER NOT NULL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL, CHECK (reserved BETWEEN 0 AND quantity), CHECK (on_hold = 0 OR quantity > 0), CHECK (status = CASE WHEN quantity = 0 THEN 'sold' WHEN on_hold = 1 OR quantity = reserved THEN 'pending' ELSE 'available' END)) STRICT;
CREATE TABLE orders (id INTEGER NOT NULL PRIMARY KEY, pet_id INTEGER NOT NULL, quantity INTEGER NOT NULL CHECK (quantity BETWEEN 1 AND 1000000), ship_date TEXT, complete INTEGER NOT NULL CHECK (complete IN (0, 1)), version INTEGER NOT NULL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL, reference TEXT) STRICT;
CREATE TABLE movement (pet_id INTEGER NOT NULL, version INTEGER NOT NULL, id INTEGER NOT NULL, quantity_change INTEGER NOT NULL, reserved_change INTEGER NOT NULL, quantity INTEGER NOT NULL, reserved INTEGER NOT NULL, reason TEXT NOT NULL, note TEXT, order_id INTEGER, at TEXT NOT NULL, PRIMARY KEY (pet_id, version), CHECK (quantity_change <> 0 OR reserved_change <> 0)) STRICT, WITHOUT ROWID;
CREATE TABLE event (id INTEGER NOT NULL PRIMARY KEY, position INTEGER, hash TEXT, type TEXT NOT NULL, subject TEXT NOT NULL, subject_version INTEGER NOT NULL, data TEXT NOT NULL, key_id INTEGER, request_id TEXT NOT NULL, at TEXT NOT NULL, pet_id INTEGER, totals TEXT) STRICT;
CREATE TABLE api_key (id INTEGER NOT NULL PRIMARY KEY, name TEXT NOT NULL, scopes TEXT NOT NULL, hint TEXT NOT NULL, hash TEXT NOT NULL UNIQUE, made_by TEXT NOT NULL CHECK (made_by IN ('first start', 'environment', 'key')), created_at TEXT NOT NULL, expires_at TEXT, revoked_at TEXT, version INTEGER NOT NULL DEFAULT 1) STRICT;
CREATE TABLE reply (owner TEXT NOT NULL, operation TEXT NOT NULL, idempotency_key TEXT NOT NULL, fingerprint TEXT NOT NULL, status INTEGER NOT NULL, body TEXT, etag TEXT, location TEXT, at TEXT NOT NULL, PRIMARY KEY (owner, operation, idempotency_key)) STRICT, WITHOUT ROWID;
CREATE TABLE staged_row (import_id INTEGER NOT NULL, file TEXT NOT NULL CHECK (file IN ('categories', 'pets')), line INTEGER NOT NULL, name TEXT NOT NULL, detail TEXT, quantity INTEGER NOT NULL, hold INTEGER NOT NULL CHECK (hold IN (0, 1)), at TEXT NOT NULL, PRIMARY KEY (import_id, file, line)) STRICT, WITHOUT ROWID;
CREATE TABLE webhook (id INTEGER NOT NULL PRIMARY KEY, slot INTEGER NOT NULL UNIQUE CHECK (slot BETWEEN 1 AND 100), url TEXT NOT NULL, types TEXT, description TEXT, enabled INTEGER NOT NULL CHECK (enabled IN (0, 1)), disabled_reason TEXT CHECK (disabled_reason IN ('asked', 'gone', 'failing')), secret TEXT NOT NULL, previous_secret TEXT, previous_until TEXT, position INTEGER NOT NULL, failures INTEGER NOT NULL CHECK (failures >= 0), failing_since TEXT, seen_creation INTEGER NOT NULL CHECK (seen_creation IN (0, 1)), leased_by TEXT, leased_until TEXT, version INTEGER NOT NULL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL, CHECK ((enabled = 1) = (disabled_reason IS NULL)), CHECK ((failures = 0) = (failing_since IS NULL)), CHECK ((previous_secret IS NULL) = (previous_until IS NULL)), CHECK ((leased_by IS NULL) = (leased_until IS NULL))) STRICT;
CREATE TABLE delivery (id INTEGER NOT NULL PRIMARY KEY, webhook_id INTEGER NOT NULL, position INTEGER NOT NULL, event_id INTEGER NOT NULL, event_type TEXT NOT NULL, state TEXT NOT NULL CHECK (state IN ('pending', 'delivered', 'failed')), attempts INTEGER NOT NULL CHECK (attempts > 0), cycle_attempts INTEGER NOT NULL CHECK (cycle_attempts BETWEEN 0 AND attempts), next_at TEXT, created_at TEXT NOT NULL, updated_at TEXT NOT NULL, UNIQUE (webhook_id, position), CHECK ((state = 'pending') = (next_at IS NOT NULL))) STRICT;
CREATE TABLE attempt (delivery_id INTEGER NOT NULL, number INTEGER NOT NULL CHECK (number > 0), at TEXT NOT NULL, duration_ms INTEGER NOT NULL CHECK (duration_ms >= 0), status INTEGER, error TEXT, reply TEXT, PRIMARY KEY (delivery_id, number), CHECK ((status IS NULL) <> (error IS NULL))) STRICT, WITHOUT ROWID;
CREATE TABLE "metadata" (name TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE chain_end (name TEXT NOT NULL PRIMARY KEY CHECK (name IN ('head', 'floor')), position INTEGER NOT NULL, hash TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE total (name TEXT NOT NULL PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE chain_gap (after_position INTEGER NOT NULL PRIMARY KEY, to_position INTEGER NOT NULL CHECK (to_position > after_position), at TEXT NOT NULL) STRICT;
CREATE INDEX category_by_name ON category (name_key);
CREATE INDEX pet_by_name ON pet (name_key);
CREATE INDEX pet_by_status ON pet (status);
CREATE INDEX pet_by_status_name ON pet (status, name_key);
CREATE INDEX pet_by_category ON pet (category_id, status);
CREATE INDEX pet_by_category_name ON pet (category_id, status, name_key);
CREATE INDEX pet_by_quantity ON pet (status, quantity);
CREATE INDEX orders_by_complete ON orders (complete);
CREATE INDEX orders_by_pet ON orders (pet_id, complete);
CREATE INDEX orders_by_ship_date ON orders (complete, ship_date) WHERE ship_date IS NOT NULL;
CREATE INDEX orders_by_pet_ship_date ON orders (pet_id, complete, ship_date) WHERE ship_date IS NOT NULL;
CREATE UNIQUE INDEX event_by_position ON event (position);
CREATE INDEX reply_by_age ON reply (at);
CREATE INDEX delivery_due ON delivery (webhook_id, next_at) WHERE state = 'pending';
CREATE INDEX delivery_by_webhook ON delivery (webhook_id);
CREATE INDEX delivery_by_state ON delivery (webhook_id, state);
CREATE INDEX delivery_by_age ON delivery (updated_at) WHERE state <> 'pending';
CREATE INDEX orders_by_reference ON orders (reference) WHERE reference IS NOT NULL;
CREATE INDEX orders_by_reference_ship_date ON orders (reference, ship_date) WHERE reference IS NOT NULL AND ship_date IS NOT NULL;
CREATE INDEX event_by_pet ON event (pet_id, position) WHERE pet_id IS NOT NULL;

INSERT INTO api_key VALUES
  (1, 'admin (environment)', '["admin"]', 'LXrg', '4be1e30ccb0a50bb5db54cb0b43110e0f9cded61fdfaafc053e54169cd9da6fa', 'environment', '2026-11-26T02:51:42.701Z', NULL, NULL, 1),
  (2, 'till', '["orders:write"]', 'luDk', 'de61fb2277db68e5b03ad328b6075934af4fce69736e93d6f8e31f9a8420c1e7', 'key', '2026-11-26T02:51:42.952Z', NULL, NULL, 1),
  (3, 'old till', '["pets:write"]', 'Fn8O', '7bf7ff16ec12e8865a3e84baec69891bb8f379f669eabf26e529609eb9433bf1', 'key', '2026-11-26T02:51:42.961Z', '2027-06-01T00:00:00.000Z', '2026-11-26T02:51:42.964Z', 2);
INSERT INTO attempt VALUES
  (1, 1, '2026-11-26T02:51:42.869Z', 31, 200, NULL, 'thanks'),
  (2, 1, '2026-11-26T02:51:42.888Z', 18, 200, NULL, 'thanks'),
  (3, 1, '2026-11-26T02:51:42.908Z', 13, 200, NULL, 'thanks'),
  (4, 1, '2026-11-26T02:51:42.908Z', 14, 500, NULL, 'thanks'),
  (4, 2, '2026-11-26T02:51:43.972Z', 8, 500, NULL, 'thanks'),
  (5, 1, '2026-11-26T02:51:42.912Z', 13, 200, NULL, 'thanks'),
  (6, 1, '2026-11-26T02:51:42.918Z', 11, 500, NULL, 'thanks'),
  (6, 2, '2026-11-26T02:51:43.984Z', 5, 500, NULL, 'thanks'),
  (7, 1, '2026-11-26T02:51:42.918Z', 11, 200, NULL, 'thanks'),
  (8, 1, '2026-11-26T02:51:42.919Z', 10, 200, NULL, 'thanks'),
  (9, 1, '2026-11-26T02:51:42.940Z', 4, 200, NULL, 'thanks'),
  (10, 1, '2026-11-26T02:51:42.941Z', 3, 200, NULL, 'thanks'),
  (11, 1, '2026-11-26T02:51:42.947Z', 4, 200, NULL, 'thanks'),
  (12, 1, '2026-11-26T02:51:42.955Z', 3, 200, NULL, 'thanks'),
  (1000013, 1, '2026-11-26T02:51:47.651Z', 24, 200, NULL, 'thanks'),
  (1000014, 1, '2026-11-26T02:51:47.653Z', 28, 500, NULL, 'thanks'),
  (1000014, 2, '2026-11-26T02:51:48.779Z', 19, 500, NULL, 'thanks'),
  (1000015, 1, '2026-11-26T02:51:47.665Z', 16, 200, NULL, 'thanks');
INSERT INTO category VALUES
  (1, 'Cats', 'cats', 'Purring', 1, 1, '2026-11-26T02:51:42.816Z', '2026-11-26T02:51:42.816Z'),
  (2, 'Dogs', 'dogs', NULL, 1, 1, '2026-11-26T02:51:42.831Z', '2026-11-26T02:51:42.831Z');
INSERT INTO chain_end VALUES
  ('floor', 3, 'AGlQ8m_2sw7xZ_7wH6bSpkZ3HLx5Xoqr-HjzsHLcsb4'),
  ('head', 1000025, 'nnrH0377HH_l_UMYLzNIxqSG6MB1vhpnOLOSbDbhCc8');
INSERT INTO chain_gap VALUES
  (23, 1000023, '2026-11-26T02:51:47.173Z');
INSERT INTO counter VALUES
  ('category', 1000003),
  ('delivery', 1000015),
  ('event', 1000025),
  ('key', 1000003),
  ('movement', 1000008),
  ('order', 1000003),
  ('pet', 1000002),
  ('webhook', 1000002);
INSERT INTO delivery VALUES
  (1, 1, 10, 10, 'petstore.inventory.changed', 'delivered', 1, 1, NULL, '2026-11-26T02:51:42.869Z', '2026-11-26T02:51:42.869Z'),
  (2, 1, 11, 11, 'petstore.inventory.changed', 'delivered', 1, 1, NULL, '2026-11-26T02:51:42.888Z', '2026-11-26T02:51:42.888Z'),
  (3, 1, 12, 12, 'petstore.inventory.changed', 'delivered', 1, 1, NULL, '2026-11-26T02:51:42.908Z', '2026-11-26T02:51:42.908Z'),
  (4, 2, 13, 13, 'petstore.order.placed', 'pending', 2, 2, '2026-11-27T04:01:51.901Z', '2026-11-26T02:51:42.908Z', '2026-11-26T02:51:43.972Z'),
  (5, 1, 13, 13, 'petstore.order.placed', 'delivered', 1, 1, NULL, '2026-11-26T02:51:42.912Z', '2026-11-26T02:51:42.912Z'),
  (6, 2, 15, 15, 'petstore.order.placed', 'pending', 2, 2, '2026-11-27T03:18:25.452Z', '2026-11-26T02:51:42.918Z', '2026-11-26T02:51:43.984Z'),
  (7, 1, 14, 14, 'petstore.inventory.changed', 'delivered', 1, 1, NULL, '2026-11-26T02:51:42.918Z', '2026-11-26T02:51:42.918Z'),
  (8, 1, 15, 15, 'petstore.order.placed', 'delivered', 1, 1, NULL, '2026-11-26T02:51:42.919Z', '2026-11-26T02:51:42.919Z'),
  (9, 1, 16, 16, 'petstore.inventory.changed', 'delivered', 1, 1, NULL, '2026-11-26T02:51:42.940Z', '2026-11-26T02:51:42.940Z'),
  (10, 1, 17, 17, 'petstore.order.completed', 'delivered', 1, 1, NULL, '2026-11-26T02:51:42.941Z', '2026-11-26T02:51:42.941Z'),
  (11, 1, 18, 18, 'petstore.category.created', 'delivered', 1, 1, NULL, '2026-11-26T02:51:42.947Z', '2026-11-26T02:51:42.947Z'),
  (12, 1, 19, 19, 'petstore.category.deleted', 'delivered', 1, 1, NULL, '2026-11-26T02:51:42.955Z', '2026-11-26T02:51:42.955Z'),
  (1000013, 1, 1000024, 1000024, 'petstore.inventory.changed', 'delivered', 1, 1, NULL, '2026-11-26T02:51:47.651Z', '2026-11-26T02:51:47.651Z'),
  (1000014, 2, 1000025, 1000025, 'petstore.order.placed', 'pending', 2, 2, '2026-11-27T04:22:00.212Z', '2026-11-26T02:51:47.653Z', '2026-11-26T02:51:48.779Z'),
  (1000015, 1, 1000025, 1000025, 'petstore.order.placed', 'delivered', 1, 1, NULL, '2026-11-26T02:51:47.665Z', '2026-11-26T02:51:47.665Z');
INSERT INTO event VALUES
  (4, 4, 'JJ4T_IyuZxtmLVK3MZW6euioxyuPnkG8uef_eV81jfw', 'petstore.pet.created', 'pets/1', 1, '{"id":1,"name":"Tom","categoryId":1,"status":"available"}', 1, 'QvrEYnup0_pI-4', '2026-11-26T02:51:42.834Z', 1, NULL),
  (5, 5, '11zcqr72sTzuWa4S9PmHBgTKQXUMe1TCSGF55rqW2Zo', 'petstore.inventory.changed', 'inventory/1', 1, '{"petId":1,"quantity":1,"status":"available","reserved":0}', 1, 'QvrEYnup0_pI-4', '2026-11-26T02:51:42.834Z', 1, NULL),
  (6, 6, 'ZxSNPeF3GwJCl_CXZitpbzFdYZnisKUpqDr6dbpLCp8', 'petstore.pet.created', 'pets/2', 1, '{"id":2,"name":"Rex \"the\" Dög","categoryId":2,"status":"available"}', 1, 'QvrEYnup0_pI-5', '2026-11-26T02:51:42.841Z', 2, NULL),
  (7, 7, 'V9nNU37ZsGTy-Oj0-UHLp-sOdpaqEEkWCrTeWCgnx9M', 'petstore.inventory.changed', 'inventory/2', 1, '{"petId":2,"quantity":1,"status":"available","reserved":0}', 1, 'QvrEYnup0_pI-5', '2026-11-26T02:51:42.841Z', 2, NULL),
  (8, 8, 'GpPpiYzN0G746DkTqOC8-Axfg8ILcKkXdhqXjIu1prE', 'petstore.webhook.created', 'webhooks/1', 1, '{"id":1,"url":"http://127.0.0.1:38463/good","enabled":true,"createdAt":"2026-11-26T02:51:42.844Z"}', 1, 'QvrEYnup0_pI-6', '2026-11-26T02:51:42.844Z', NULL, NULL),
  (9, 9, 'ckj_SVENz42iLPGZHRJRNQcWpNwWJ5UgdYa4DWt8ywk', 'petstore.webhook.created', 'webhooks/2', 1, '{"id":2,"url":"http://127.0.0.1:38463/bad","types":["petstore.order.placed"],"description":"fails","enabled":true,"createdAt":"2026-11-26T02:51:42.849Z"}', 1, 'QvrEYnup0_pI-7', '2026-11-26T02:51:42.849Z', NULL, NULL),
  (10, 10, '9BWUykT5Mqa0G4XyOVZCHTL1oHv1uSfpG1Njjth-_tM', 'petstore.inventory.changed', 'inventory/1', 2, '{"petId":1,"quantity":10,"status":"available","reserved":0}', 1, 'QvrEYnup0_pI-8', '2026-11-26T02:51:42.853Z', 1, NULL),
  (11, 11, '97P4sDdfGAT0jPG4Bw9VNz-XPnELdFzZ603NMnW90cM', 'petstore.inventory.changed', 'inventory/1', 3, '{"petId":1,"quantity":12,"status":"available","reserved":0}', 1, 'QvrEYnup0_pI-9', '2026-11-26T02:51:42.865Z', 1, NULL),
  (12, 12, 'xnqsYxdLVR47TS-G2dt1rn94sikFs2G-zWtgtyQ5QvI', 'petstore.inventory.changed', 'inventory/1', 4, '{"petId":1,"quantity":12,"status":"available","reserved":2}', 1, 'QvrEYnup0_pI-10', '2026-11-26T02:51:42.887Z', 1, NULL),
  (13, 13, 'zqx39He5BOKl2tssFRlrjA6vPlLsSQtxZV-hMHh_bEk', 'petstore.order.placed', 'orders/1', 1, '{"id":1,"petId":1,"quantity":2,"shipDate":"2026-12-01T10:00:00Z","complete":false,"reference":"R-1"}', 1, 'QvrEYnup0_pI-10', '2026-11-26T02:51:42.887Z', 1, NULL),
  (14, 14, '3LdaA8Z8xdRn9N7L30i22nhOR-5z2oI8nmd6nE678jo', 'petstore.inventory.changed', 'inventory/2', 2, '{"petId":2,"quantity":1,"status":"pending","reserved":1}', 1, 'QvrEYnup0_pI-11', '2026-11-26T02:51:42.907Z', 2, NULL),
  (15, 15, 'RxQr6n7FM8cCu8iYsmC7H0IFqNsFvyKPok8t-R9ZLkc', 'petstore.order.placed', 'orders/2', 1, '{"id":2,"petId":2,"quantity":1,"complete":false}', 1, 'QvrEYnup0_pI-11', '2026-11-26T02:51:42.907Z', 2, NULL),
  (16, 16, 'qg4VKm6qB3Jc3CVg-5I7smzdFbzWB8RqMrnPSSOiBfw', 'petstore.inventory.changed', 'inventory/2', 3, '{"petId":2,"quantity":0,"status":"sold","reserved":0}', 1, 'QvrEYnup0_pI-12', '2026-11-26T02:51:42.926Z', 2, NULL),
  (17, 17, 'hGtdqy6qOVN7brg3w5YnvmAIFHTrSV85bMh9lSuIgXk', 'petstore.order.completed', 'orders/2', 2, '{"id":2,"petId":2,"quantity":1,"shipDate":"2026-11-26T02:51:42.926Z","complete":true}', 1, 'QvrEYnup0_pI-12', '2026-11-26T02:51:42.926Z', 2, NULL),
  (18, 18, 'eVOL1cOs_ftEkFKdDWul_YVaFkkUynBsSKBFrbFHVhg', 'petstore.category.created', 'categories/3', 1, '{"id":3,"name":"Birds"}', 1, 'QvrEYnup0_pI-13', '2026-11-26T02:51:42.938Z', NULL, NULL),
  (19, 19, 'ghywiJQemiEksbSFI8Uarmqt-E9w6CGhprKKNg7Hig0', 'petstore.category.deleted', 'categories/3', 2, '{"id":3,"name":"Birds"}', 1, 'QvrEYnup0_pI-14', '2026-11-26T02:51:42.947Z', NULL, NULL),
  (20, 20, 'h9dzWK4CqwPrnpSlHQL_GlHX6fjjRKrqSVNytmbYv9Y', 'petstore.key.created', 'keys/2', 1, '{"id":2,"name":"till","scopes":["orders:write"],"hint":"luDk","createdAt":"2026-11-26T02:51:42.952Z"}', 1, 'QvrEYnup0_pI-15', '2026-11-26T02:51:42.952Z', NULL, NULL),
  (21, 21, 'xUP_pRiDgvrx-8hzeW8PbZEP8nwOmGPcAl8rpba4P98', 'petstore.key.created', 'keys/3', 1, '{"id":3,"name":"old till","scopes":["pets:write"],"hint":"Fn8O","createdAt":"2026-11-26T02:51:42.961Z","expiresAt":"2027-06-01T00:00:00Z"}', 1, 'QvrEYnup0_pI-16', '2026-11-26T02:51:42.961Z', NULL, NULL),
  (22, 22, 'CEuXBPYi1plKE2HYH-P4M7xJANJtxqG6MFnMszXjnmA', 'petstore.key.revoked', 'keys/3', 2, '{"id":3,"name":"old till","scopes":["pets:write"],"hint":"Fn8O","createdAt":"2026-11-26T02:51:42.961Z","expiresAt":"2027-06-01T00:00:00Z"}', 1, 'QvrEYnup0_pI-17', '2026-11-26T02:51:42.964Z', NULL, NULL),
  (23, 23, 'C9P6fyxLPL4PxkKROZnCJFMYTFHBIZLwbwORnQ99k9M', 'petstore.webhook.secret-rotated', 'webhooks/1', 2, '{"id":1,"url":"http://127.0.0.1:38463/good","enabled":true,"createdAt":"2026-11-26T02:51:42.844Z"}', 1, 'QvrEYnup0_pI-18', '2026-11-26T02:51:42.969Z', NULL, NULL),
  (1000024, 1000024, '4f7a-NTWHOP0qPNJBp227FB61JbxdGzOHGPgbVCGF88', 'petstore.inventory.changed', 'inventory/1', 5, '{"petId":1,"quantity":12,"status":"available","reserved":3}', 1, 'sFy479RhAyap-2', '2026-11-26T02:51:47.633Z', 1, NULL),
  (1000025, 1000025, 'nnrH0377HH_l_UMYLzNIxqSG6MB1vhpnOLOSbDbhCc8', 'petstore.order.placed', 'orders/1000003', 1, '{"id":1000003,"petId":1,"quantity":1,"complete":false,"reference":"R-2"}', 1, 'sFy479RhAyap-2', '2026-11-26T02:51:47.633Z', 1, NULL);
INSERT INTO metadata VALUES
  ('secret-key', 'v1.LpfgiaHpDyrOkTDQH5Qcf2-h_dNxZPNTIdiplVd9OWb5rlkE');
INSERT INTO movement VALUES
  (1, 1, 1, 1, 0, 1, 0, 'opening', NULL, NULL, '2026-11-26T02:51:42.834Z'),
  (1, 2, 3, 9, 0, 10, 0, 'count', NULL, NULL, '2026-11-26T02:51:42.853Z'),
  (1, 3, 4, 2, 0, 12, 0, 'adjustment', 'A box', NULL, '2026-11-26T02:51:42.865Z'),
  (1, 4, 5, 0, 2, 12, 2, 'order', NULL, 1, '2026-11-26T02:51:42.887Z'),
  (1, 5, 1000008, 0, 1, 12, 3, 'order', NULL, 1000003, '2026-11-26T02:51:47.633Z'),
  (2, 1, 2, 1, 0, 1, 0, 'opening', NULL, NULL, '2026-11-26T02:51:42.841Z'),
  (2, 2, 6, 0, 1, 1, 1, 'order', NULL, 2, '2026-11-26T02:51:42.907Z'),
  (2, 3, 7, -1, -1, 0, 0, 'completion', NULL, 2, '2026-11-26T02:51:42.926Z');
INSERT INTO orders VALUES
  (1, 1, 2, '2026-12-01T10:00:00.000Z', 0, 1, '2026-11-26T02:51:42.887Z', '2026-11-26T02:51:42.887Z', 'R-1'),
  (2, 2, 1, '2026-11-26T02:51:42.926Z', 1, 2, '2026-11-26T02:51:42.907Z', '2026-11-26T02:51:42.926Z', NULL),
  (1000003, 1, 1, NULL, 0, 1, '2026-11-26T02:51:47.633Z', '2026-11-26T02:51:47.633Z', 'R-2');
INSERT INTO pet VALUES
  (1, 'Tom', 'tom', 1, 0, 12, 3, 'available', 5, '2026-11-26T02:51:42.834Z', '2026-11-26T02:51:47.633Z'),
  (2, 'Rex "the" Dög', 'rex "the" dög', 2, 0, 0, 0, 'sold', 3, '2026-11-26T02:51:42.841Z', '2026-11-26T02:51:42.926Z');
INSERT INTO reply VALUES
  ('1', 'placeOrder', 'key-1', 'aeb1d304e5cbe568d6d0c9dc0eb6fd5b2ebefe7ae0f4c4f0fa38045eed9ee50b', 201, '{"id":1,"petId":1,"quantity":2,"shipDate":"2026-12-01T10:00:00Z","complete":false,"reference":"R-1"}', '"E5LPRNhsRo35-hwn_UBSml"', '/store/orders/1', '2026-11-26T02:51:42.887Z');
INSERT INTO staged_row VALUES
  (77, 'categories', 1, 'Staged', 'left by an import', 0, 0, '2026-11-26T02:51:42.975Z'),
  (77, 'pets', 2, 'Staged pet', 'Staged', 3, 1, '2026-11-26T02:51:42.975Z');
INSERT INTO total VALUES
  ('orders/open', 2),
  ('orders/placed/2026-11-26', 3),
  ('pets/available', 1),
  ('pets/pending', 0),
  ('pets/sold', 1),
  ('units/onHand', 12),
  ('units/reserved', 3);
INSERT INTO webhook VALUES
  (1, 2, 'http://127.0.0.1:38463/good', NULL, NULL, 1, NULL, 'v1.M4mlOzcrIeKFds9SL3FzZTRB3bEdcPJ6wfDRAhCXSIwHF00T3ede_KdMBe3snk-2ok3hSHnzYDcWjP0nSkffPzpA4SZuf4vdsLBgwTw9', 'v1.8JtPLisu5zc0CPT7PJsF5MCwBfKzKpOcAglER889WOXy1QsY7spLAc3Dvaikb3bJE20QbsFd73Trh0ycUmwVQux6CamyyX-nDTXxppEZ', '2026-11-27T02:51:42.969Z', 1000025, 0, NULL, 1, NULL, NULL, 2, '2026-11-26T02:51:42.844Z', '2026-11-26T02:51:42.969Z'),
  (2, 3, 'http://127.0.0.1:38463/bad', '["petstore.order.placed"]', 'fails', 1, NULL, 'v1.gjk9ATSgCedF3jvjZ_6aQkVzn91D9ppUZWfmy9UVIdJzfChI-7eHesdx_Cp707TFOprq0pfK8HPdVTanuRN8JP2lpeHBAV8Gj5Q14Sz_', NULL, NULL, 1000025, 6, '2026-11-26T02:51:42.908Z', 1, NULL, NULL, 1, '2026-11-26T02:51:42.849Z', '2026-11-26T02:51:42.849Z');
PRAGMA user_version = 10;
