-- `last_failure_at`, `failing_ms`: the last failed attempt, and the time for which attempts have failed, without the time
-- in which nothing was attempted. A store that was off for a week has not tried for a week.
ALTER TABLE webhook ADD COLUMN last_failure_at TEXT;
ALTER TABLE webhook ADD COLUMN failing_ms INTEGER;
