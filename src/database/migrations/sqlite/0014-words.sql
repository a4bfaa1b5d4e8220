-- The folded words of the names of pets: a search is a scan of this table.
CREATE TABLE pet_word (
  word TEXT NOT NULL,
  pet_id INTEGER NOT NULL,
  PRIMARY KEY (word, pet_id)
) STRICT, WITHOUT ROWID;

-- `sort_key`: the folded name, by which lists are sorted. The program fills it and `pet_word` after this script.
ALTER TABLE pet ADD COLUMN sort_key TEXT NOT NULL DEFAULT '';
ALTER TABLE category ADD COLUMN sort_key TEXT NOT NULL DEFAULT '';
