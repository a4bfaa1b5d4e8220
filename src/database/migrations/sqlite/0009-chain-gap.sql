-- The positions that a restored store skips. The hash chain continues after them.
CREATE TABLE chain_gap (
  after_position INTEGER NOT NULL PRIMARY KEY,
  to_position INTEGER NOT NULL CHECK (to_position > after_position),
  at TEXT NOT NULL
) STRICT;
