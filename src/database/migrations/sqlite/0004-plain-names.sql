-- This migration renames tables and columns. The hash chain has two ends: the last entry (the head), and the last entry
-- that retention has deleted (the floor).
CREATE TABLE chain_end (
  name TEXT NOT NULL PRIMARY KEY CHECK (name IN ('head', 'floor')),
  position INTEGER NOT NULL,
  hash TEXT NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO chain_end (name, position, hash)
SELECT CASE place WHEN 'horizon' THEN 'floor' ELSE place END, position, hash FROM chain;

DROP TABLE chain;

ALTER TABLE note RENAME TO metadata;
ALTER TABLE webhook RENAME COLUMN begun TO seen_creation;
ALTER TABLE delivery RENAME COLUMN round_attempts TO cycle_attempts;
