-- The key decides which of two pets gets a barcode; the column of the pet repeats it, so that no list joins two tables.
CREATE TABLE pet_barcode (
  barcode TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  pet_id BIGINT NOT NULL
);

ALTER TABLE pet ADD COLUMN barcode TEXT COLLATE "C";
ALTER TABLE staged_row ADD COLUMN barcode TEXT COLLATE "C";
