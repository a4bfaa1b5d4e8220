-- The positions that a restored store skips. The hash chain continues after them.
CREATE TABLE chain_gap (
  after_position BIGINT NOT NULL PRIMARY KEY,
  to_position BIGINT NOT NULL CHECK (to_position > after_position),
  at TEXT NOT NULL
);
