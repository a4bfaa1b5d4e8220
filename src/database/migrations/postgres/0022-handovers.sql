-- A key on its way to another browser, encrypted under a code. The store keeps only the hash of the code.
CREATE TABLE handover (
  hash TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  encrypted_key TEXT COLLATE "C" NOT NULL,
  expires_at TEXT COLLATE "C" NOT NULL
);

CREATE INDEX handover_by_age ON handover (expires_at);
