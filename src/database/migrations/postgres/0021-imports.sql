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
