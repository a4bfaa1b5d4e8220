-- One row for each command that a process has committed and not yet reported. A command whose COMMIT was lost runs
-- again: if its row exists, it had committed. A process deletes its own rows; `at` serves to delete those of others.
CREATE TABLE execution (
  process BIGINT NOT NULL,
  number BIGINT NOT NULL,
  at TEXT NOT NULL,
  PRIMARY KEY (process, number)
);
