-- One row for each command that has committed, until a sweep deletes it. If the response to a COMMIT is lost, the
-- command runs again: if its row exists, the first run has committed. A process deletes its own rows when their
-- commands have ended, and rows of any process after 7 days.
CREATE TABLE execution (
  process BIGINT NOT NULL,
  number BIGINT NOT NULL,
  at TEXT NOT NULL,
  PRIMARY KEY (process, number)
);
