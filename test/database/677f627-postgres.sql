-- A store that commit 677f627 made on PostgreSQL, with rows in each table. This file never changes.

CREATE TABLE migration (version bigint NOT NULL, CONSTRAINT migration_pkey PRIMARY KEY (version));
CREATE TABLE counter (noun text COLLATE "C" NOT NULL, last bigint NOT NULL, CONSTRAINT counter_pkey PRIMARY KEY (noun));
CREATE TABLE category (id bigint NOT NULL, name text COLLATE "C" NOT NULL, name_key text COLLATE "C" NOT NULL, description text COLLATE "C", pet_count bigint NOT NULL, version bigint NOT NULL, created_at text COLLATE "C" NOT NULL, updated_at text COLLATE "C" NOT NULL, CONSTRAINT category_pkey PRIMARY KEY (id), CONSTRAINT category_pet_count_check CHECK ((pet_count >= 0)));
CREATE INDEX category_by_name ON category (name_key, id);
CREATE TABLE pet (id bigint NOT NULL, name text COLLATE "C" NOT NULL, name_key text COLLATE "C" NOT NULL, category_id bigint NOT NULL, on_hold bigint NOT NULL, quantity bigint NOT NULL, reserved bigint NOT NULL, status text COLLATE "C" NOT NULL, version bigint NOT NULL, created_at text COLLATE "C" NOT NULL, updated_at text COLLATE "C" NOT NULL, CONSTRAINT pet_pkey PRIMARY KEY (id), CONSTRAINT pet_check CHECK (((reserved >= 0) AND (reserved <= quantity))), CONSTRAINT pet_check1 CHECK (((on_hold = 0) OR (quantity > 0))), CONSTRAINT pet_check2 CHECK ((status = CASE WHEN (quantity = 0) THEN 'sold'::text WHEN ((on_hold = 1) OR (quantity = reserved)) THEN 'pending'::text ELSE 'available'::text END)), CONSTRAINT pet_on_hold_check CHECK ((on_hold = ANY (ARRAY[(0)::bigint, (1)::bigint]))), CONSTRAINT pet_quantity_check CHECK (((quantity >= 0) AND (quantity <= 1000000000))));
CREATE INDEX pet_by_name ON pet (name_key, id);
CREATE INDEX pet_by_status ON pet (status, id);
CREATE INDEX pet_by_status_name ON pet (status, name_key, id);
CREATE INDEX pet_by_category ON pet (category_id, status, id);
CREATE INDEX pet_by_category_name ON pet (category_id, status, name_key, id);
CREATE INDEX pet_by_quantity ON pet (status, quantity, id);
CREATE TABLE orders (id bigint NOT NULL, pet_id bigint NOT NULL, quantity bigint NOT NULL, ship_date text COLLATE "C", complete bigint NOT NULL, version bigint NOT NULL, created_at text COLLATE "C" NOT NULL, updated_at text COLLATE "C" NOT NULL, reference text COLLATE "C", CONSTRAINT orders_pkey PRIMARY KEY (id), CONSTRAINT orders_complete_check CHECK ((complete = ANY (ARRAY[(0)::bigint, (1)::bigint]))), CONSTRAINT orders_quantity_check CHECK (((quantity >= 1) AND (quantity <= 1000000))));
CREATE INDEX orders_by_complete ON orders (complete, id);
CREATE INDEX orders_by_pet ON orders (pet_id, complete, id);
CREATE INDEX orders_by_ship_date ON orders (complete, ship_date, id) WHERE (ship_date IS NOT NULL);
CREATE INDEX orders_by_pet_ship_date ON orders (pet_id, complete, ship_date, id) WHERE (ship_date IS NOT NULL);
CREATE INDEX orders_by_reference ON orders (reference, id) WHERE (reference IS NOT NULL);
CREATE INDEX orders_by_reference_ship_date ON orders (reference, ship_date, id) WHERE ((reference IS NOT NULL) AND (ship_date IS NOT NULL));
CREATE TABLE movement (pet_id bigint NOT NULL, version bigint NOT NULL, id bigint NOT NULL, quantity_change bigint NOT NULL, reserved_change bigint NOT NULL, quantity bigint NOT NULL, reserved bigint NOT NULL, reason text COLLATE "C" NOT NULL, note text COLLATE "C", order_id bigint, at text COLLATE "C" NOT NULL, CONSTRAINT movement_pkey PRIMARY KEY (pet_id, version), CONSTRAINT movement_check CHECK (((quantity_change <> 0) OR (reserved_change <> 0))));
CREATE TABLE event (id bigint NOT NULL, position bigint, hash text COLLATE "C", type text COLLATE "C" NOT NULL, subject text COLLATE "C" NOT NULL, subject_version bigint NOT NULL, data text COLLATE "C" NOT NULL, key_id bigint, request_id text COLLATE "C" NOT NULL, at text COLLATE "C" NOT NULL, pet_id bigint, totals text, CONSTRAINT event_pkey PRIMARY KEY (id));
CREATE UNIQUE INDEX event_by_position ON event ("position");
CREATE INDEX event_without_position ON event (subject, subject_version, id) WHERE ("position" IS NULL);
CREATE INDEX event_by_pet ON event (pet_id, "position") WHERE ((pet_id IS NOT NULL) AND ("position" IS NOT NULL));
CREATE TABLE api_key (id bigint NOT NULL, name text COLLATE "C" NOT NULL, scopes text COLLATE "C" NOT NULL, hint text COLLATE "C" NOT NULL, hash text COLLATE "C" NOT NULL, made_by text COLLATE "C" NOT NULL, created_at text COLLATE "C" NOT NULL, expires_at text COLLATE "C", revoked_at text COLLATE "C", version bigint NOT NULL DEFAULT 1, CONSTRAINT api_key_hash_key UNIQUE (hash), CONSTRAINT api_key_pkey PRIMARY KEY (id), CONSTRAINT api_key_made_by_check CHECK ((made_by = ANY (ARRAY['first start'::text, 'environment'::text, 'key'::text]))));
CREATE TABLE reply (owner text COLLATE "C" NOT NULL, operation text COLLATE "C" NOT NULL, idempotency_key text COLLATE "C" NOT NULL, fingerprint text COLLATE "C" NOT NULL, status bigint NOT NULL, body text COLLATE "C", etag text COLLATE "C", location text COLLATE "C", at text COLLATE "C" NOT NULL, CONSTRAINT reply_pkey PRIMARY KEY (owner, operation, idempotency_key));
CREATE INDEX reply_by_age ON reply (at);
CREATE TABLE staged_row (import_id bigint NOT NULL, file text COLLATE "C" NOT NULL, line bigint NOT NULL, name text COLLATE "C" NOT NULL, detail text COLLATE "C", quantity bigint NOT NULL, hold bigint NOT NULL, at text COLLATE "C" NOT NULL, CONSTRAINT staged_row_pkey PRIMARY KEY (import_id, file, line), CONSTRAINT staged_row_file_check CHECK ((file = ANY (ARRAY['categories'::text, 'pets'::text]))), CONSTRAINT staged_row_hold_check CHECK ((hold = ANY (ARRAY[(0)::bigint, (1)::bigint]))));
CREATE TABLE webhook (id bigint NOT NULL, slot bigint NOT NULL, url text COLLATE "C" NOT NULL, types text COLLATE "C", description text COLLATE "C", enabled bigint NOT NULL, disabled_reason text COLLATE "C", secret text COLLATE "C" NOT NULL, previous_secret text COLLATE "C", previous_until text COLLATE "C", position bigint NOT NULL, failures bigint NOT NULL, failing_since text COLLATE "C", seen_creation bigint NOT NULL, leased_by text COLLATE "C", leased_until text COLLATE "C", version bigint NOT NULL, created_at text COLLATE "C" NOT NULL, updated_at text COLLATE "C" NOT NULL, CONSTRAINT webhook_slot_key UNIQUE (slot), CONSTRAINT webhook_pkey PRIMARY KEY (id), CONSTRAINT webhook_begun_check CHECK ((seen_creation = ANY (ARRAY[(0)::bigint, (1)::bigint]))), CONSTRAINT webhook_check CHECK (((enabled = 1) = (disabled_reason IS NULL))), CONSTRAINT webhook_check1 CHECK (((failures = 0) = (failing_since IS NULL))), CONSTRAINT webhook_check2 CHECK (((previous_secret IS NULL) = (previous_until IS NULL))), CONSTRAINT webhook_check3 CHECK (((leased_by IS NULL) = (leased_until IS NULL))), CONSTRAINT webhook_disabled_reason_check CHECK ((disabled_reason = ANY (ARRAY['asked'::text, 'gone'::text, 'failing'::text]))), CONSTRAINT webhook_enabled_check CHECK ((enabled = ANY (ARRAY[(0)::bigint, (1)::bigint]))), CONSTRAINT webhook_failures_check CHECK ((failures >= 0)), CONSTRAINT webhook_slot_check CHECK (((slot >= 1) AND (slot <= 100))));
CREATE TABLE delivery (id bigint NOT NULL, webhook_id bigint NOT NULL, position bigint NOT NULL, event_id bigint NOT NULL, event_type text COLLATE "C" NOT NULL, state text COLLATE "C" NOT NULL, attempts bigint NOT NULL, cycle_attempts bigint NOT NULL, next_at text COLLATE "C", created_at text COLLATE "C" NOT NULL, updated_at text COLLATE "C" NOT NULL, CONSTRAINT delivery_webhook_id_position_key UNIQUE (webhook_id, "position"), CONSTRAINT delivery_pkey PRIMARY KEY (id), CONSTRAINT delivery_attempts_check CHECK ((attempts > 0)), CONSTRAINT delivery_check CHECK (((cycle_attempts >= 0) AND (cycle_attempts <= attempts))), CONSTRAINT delivery_check1 CHECK (((state = 'pending'::text) = (next_at IS NOT NULL))), CONSTRAINT delivery_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'delivered'::text, 'failed'::text]))));
CREATE INDEX delivery_due ON delivery (webhook_id, next_at) WHERE (state = 'pending'::text);
CREATE INDEX delivery_by_webhook ON delivery (webhook_id, id);
CREATE INDEX delivery_by_state ON delivery (webhook_id, state, id);
CREATE INDEX delivery_by_age ON delivery (updated_at) WHERE (state <> 'pending'::text);
CREATE TABLE attempt (delivery_id bigint NOT NULL, number bigint NOT NULL, at text COLLATE "C" NOT NULL, duration_ms bigint NOT NULL, status bigint, error text COLLATE "C", reply text COLLATE "C", CONSTRAINT attempt_pkey PRIMARY KEY (delivery_id, number), CONSTRAINT attempt_check CHECK (((status IS NULL) <> (error IS NULL))), CONSTRAINT attempt_duration_ms_check CHECK ((duration_ms >= 0)), CONSTRAINT attempt_number_check CHECK ((number > 0)));
CREATE TABLE metadata (name text COLLATE "C" NOT NULL, value text COLLATE "C" NOT NULL, CONSTRAINT note_pkey PRIMARY KEY (name));
CREATE TABLE chain_end (name text COLLATE "C" NOT NULL, position bigint NOT NULL, hash text COLLATE "C" NOT NULL, CONSTRAINT chain_end_pkey PRIMARY KEY (name), CONSTRAINT chain_end_name_check CHECK ((name = ANY (ARRAY['head'::text, 'floor'::text]))));
CREATE TABLE total (name text NOT NULL, value bigint NOT NULL, CONSTRAINT total_pkey PRIMARY KEY (name));
CREATE TABLE execution (process bigint NOT NULL, number bigint NOT NULL, at text NOT NULL, CONSTRAINT execution_pkey PRIMARY KEY (process, number));
CREATE TABLE chain_gap (after_position bigint NOT NULL, to_position bigint NOT NULL, at text NOT NULL, CONSTRAINT chain_gap_pkey PRIMARY KEY (after_position), CONSTRAINT chain_gap_check CHECK ((to_position > after_position)));

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
  (12, 1, '2026-11-26T02:51:42.955Z', 3, 200, NULL, 'thanks');
INSERT INTO category VALUES
  (1, 'Cats', 'cats', 'Purring', 1, 1, '2026-11-26T02:51:42.816Z', '2026-11-26T02:51:42.816Z'),
  (2, 'Dogs', 'dogs', NULL, 1, 1, '2026-11-26T02:51:42.831Z', '2026-11-26T02:51:42.831Z');
INSERT INTO chain_end VALUES
  ('floor', 3, 'AGlQ8m_2sw7xZ_7wH6bSpkZ3HLx5Xoqr-HjzsHLcsb4'),
  ('head', 1000025, 'kk_38iJt4g6FjrIIuXONU9t4WcVcCJ1xAexEjq22PlE');
INSERT INTO chain_gap VALUES
  (23, 1000023, '2026-11-26T02:51:50.960Z');
INSERT INTO counter VALUES
  ('category', 1000003),
  ('delivery', 1000012),
  ('event', 1002023),
  ('key', 1000003),
  ('movement', 1002007),
  ('order', 1002002),
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
  (12, 1, 19, 19, 'petstore.category.deleted', 'delivered', 1, 1, NULL, '2026-11-26T02:51:42.955Z', '2026-11-26T02:51:42.955Z');
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
  (1000024, 1000024, '9KOtzGH3y9e7Zup7JTkKNhuXhsSf67WaMv3dHC9iavE', 'petstore.inventory.changed', 'inventory/1', 5, '{"petId":1,"quantity":12,"status":"available","reserved":3}', 1, 'OQKyoZa9qAAq-2', '2026-11-26T02:51:51.615Z', 1, NULL),
  (1000025, 1000025, 'kk_38iJt4g6FjrIIuXONU9t4WcVcCJ1xAexEjq22PlE', 'petstore.order.placed', 'orders/1000003', 1, '{"id":1000003,"petId":1,"quantity":1,"complete":false,"reference":"R-2"}', 1, 'OQKyoZa9qAAq-2', '2026-11-26T02:51:51.615Z', 1, NULL),
  (1001024, NULL, NULL, 'petstore.inventory.changed', 'inventory/1', 6, '{"petId":1,"quantity":12,"status":"available","reserved":4}', 1, '5RRACbbso5Hd-2', '2026-11-26T02:51:54.951Z', 1, '{"units/reserved":1}'),
  (1001025, NULL, NULL, 'petstore.order.placed', 'orders/1001003', 1, '{"id":1001003,"petId":1,"quantity":1,"complete":false,"reference":"R-3"}', 1, '5RRACbbso5Hd-2', '2026-11-26T02:51:54.951Z', 1, '{"orders/placed/2026-11-26":1,"orders/open":1}');
INSERT INTO execution VALUES
  (836893924250929, 1, '2026-11-26T02:51:54.827Z'),
  (836893924250929, 2, '2026-11-26T02:51:54.960Z');
INSERT INTO metadata VALUES
  ('secret-key', 'v1.LpfgiaHpDyrOkTDQH5Qcf2-h_dNxZPNTIdiplVd9OWb5rlkE');
INSERT INTO migration VALUES
  (0), (1), (2), (3), (4), (5), (6), (7), (8), (9), (10), (11);
INSERT INTO movement VALUES
  (1, 1, 1, 1, 0, 1, 0, 'opening', NULL, NULL, '2026-11-26T02:51:42.834Z'),
  (1, 2, 3, 9, 0, 10, 0, 'count', NULL, NULL, '2026-11-26T02:51:42.853Z'),
  (1, 3, 4, 2, 0, 12, 0, 'adjustment', 'A box', NULL, '2026-11-26T02:51:42.865Z'),
  (1, 4, 5, 0, 2, 12, 2, 'order', NULL, 1, '2026-11-26T02:51:42.887Z'),
  (1, 5, 1000008, 0, 1, 12, 3, 'order', NULL, 1000003, '2026-11-26T02:51:51.615Z'),
  (1, 6, 1001008, 0, 1, 12, 4, 'order', NULL, 1001003, '2026-11-26T02:51:54.951Z'),
  (2, 1, 2, 1, 0, 1, 0, 'opening', NULL, NULL, '2026-11-26T02:51:42.841Z'),
  (2, 2, 6, 0, 1, 1, 1, 'order', NULL, 2, '2026-11-26T02:51:42.907Z'),
  (2, 3, 7, -1, -1, 0, 0, 'completion', NULL, 2, '2026-11-26T02:51:42.926Z');
INSERT INTO orders VALUES
  (1, 1, 2, '2026-12-01T10:00:00.000Z', 0, 1, '2026-11-26T02:51:42.887Z', '2026-11-26T02:51:42.887Z', 'R-1'),
  (2, 2, 1, '2026-11-26T02:51:42.926Z', 1, 2, '2026-11-26T02:51:42.907Z', '2026-11-26T02:51:42.926Z', NULL),
  (1000003, 1, 1, NULL, 0, 1, '2026-11-26T02:51:51.615Z', '2026-11-26T02:51:51.615Z', 'R-2'),
  (1001003, 1, 1, NULL, 0, 1, '2026-11-26T02:51:54.951Z', '2026-11-26T02:51:54.951Z', 'R-3');
INSERT INTO pet VALUES
  (1, 'Tom', 'tom', 1, 0, 12, 4, 'available', 6, '2026-11-26T02:51:42.834Z', '2026-11-26T02:51:54.951Z'),
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
  (1, 2, 'http://127.0.0.1:38463/good', NULL, NULL, 1, NULL, 'v1.M4mlOzcrIeKFds9SL3FzZTRB3bEdcPJ6wfDRAhCXSIwHF00T3ede_KdMBe3snk-2ok3hSHnzYDcWjP0nSkffPzpA4SZuf4vdsLBgwTw9', 'v1.8JtPLisu5zc0CPT7PJsF5MCwBfKzKpOcAglER889WOXy1QsY7spLAc3Dvaikb3bJE20QbsFd73Trh0ycUmwVQux6CamyyX-nDTXxppEZ', '2026-11-27T02:51:42.969Z', 19, 0, NULL, 1, '3b529863-63ff-41fc-9933-d08a46d93a06', '2026-11-26T02:52:12.851Z', 2, '2026-11-26T02:51:42.844Z', '2026-11-26T02:51:42.969Z'),
  (2, 3, 'http://127.0.0.1:38463/bad', '["petstore.order.placed"]', 'fails', 1, NULL, 'v1.gjk9ATSgCedF3jvjZ_6aQkVzn91D9ppUZWfmy9UVIdJzfChI-7eHesdx_Cp707TFOprq0pfK8HPdVTanuRN8JP2lpeHBAV8Gj5Q14Sz_', NULL, NULL, 23, 4, '2026-11-26T02:51:42.908Z', 1, '3b529863-63ff-41fc-9933-d08a46d93a06', '2026-11-26T02:52:12.851Z', 1, '2026-11-26T02:51:42.849Z', '2026-11-26T02:51:42.849Z');
