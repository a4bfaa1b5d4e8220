-- The key decides which of two pets gets a barcode; the column of the pet repeats it, so that no list joins two tables.
CREATE TABLE pet_barcode (
  barcode TEXT NOT NULL PRIMARY KEY,
  pet_id INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

ALTER TABLE pet ADD COLUMN barcode TEXT;
ALTER TABLE staged_row ADD COLUMN barcode TEXT;
