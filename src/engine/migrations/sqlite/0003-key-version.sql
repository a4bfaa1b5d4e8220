-- Counts what happened to a key, as the version of other rows does: the environment can bring a revoked key back.
ALTER TABLE api_key ADD COLUMN version INTEGER NOT NULL DEFAULT 1;

-- A key of the environment may have come back before now: its events have versions up to 3.
UPDATE api_key SET version = CASE WHEN made_by = 'environment' THEN 3 ELSE 2 END
WHERE made_by = 'environment' OR revoked_at IS NOT NULL;
