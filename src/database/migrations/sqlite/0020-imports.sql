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
-- `category_id` and those after it: what a pet had before the import updated it; null for a row that it created.
CREATE TABLE import_change (
  import_id INTEGER NOT NULL,
  file TEXT NOT NULL CHECK (file IN ('categories', 'pets')),
  row_id INTEGER NOT NULL,
  version INTEGER NOT NULL,
  category_id INTEGER,
  price INTEGER,
  barcode TEXT,
  quantity INTEGER,
  reorder_at INTEGER,
  PRIMARY KEY (import_id, file, row_id)
) STRICT, WITHOUT ROWID;
