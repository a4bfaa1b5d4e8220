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
