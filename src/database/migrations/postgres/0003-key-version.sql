-- Counts the changes of a key, like the version of other rows. A key can change more than once: PETSTORE_ADMIN_KEY can
-- restore a revoked key, which can then be revoked again.
ALTER TABLE api_key ADD COLUMN version BIGINT NOT NULL DEFAULT 1;

-- A key from the environment may have been revoked and restored before this migration. Then its last event has
-- version 3.
UPDATE api_key SET version = CASE WHEN made_by = 'environment' THEN 3 ELSE 2 END
WHERE made_by = 'environment' OR revoked_at IS NOT NULL;
