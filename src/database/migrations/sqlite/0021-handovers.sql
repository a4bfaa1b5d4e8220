-- A key on its way to another browser, encrypted under a code. The store keeps only the hash of the code.
CREATE TABLE handover (
  hash TEXT NOT NULL PRIMARY KEY,
  encrypted_key TEXT NOT NULL,
  expires_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX handover_by_age ON handover (expires_at);
