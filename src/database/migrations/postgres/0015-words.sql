-- The folded words of the names of pets: a search is a scan of this table.
CREATE TABLE pet_word (
  word TEXT COLLATE "C" NOT NULL,
  pet_id BIGINT NOT NULL,
  PRIMARY KEY (word, pet_id)
);

-- `sort_key`: the folded name, by which lists are sorted. The program fills it and `pet_word` after this script.
ALTER TABLE pet ADD COLUMN sort_key TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE category ADD COLUMN sort_key TEXT COLLATE "C" NOT NULL DEFAULT '';
