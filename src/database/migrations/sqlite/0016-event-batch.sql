-- Only a store that was copied from PostgreSQL has rows here: events that had no position yet.
CREATE TABLE event_batch (
  id INTEGER NOT NULL PRIMARY KEY,
  events TEXT NOT NULL,
  totals TEXT
) STRICT;

INSERT INTO event_batch (events, totals)
  SELECT json_array(json_object('id', CAST(id AS TEXT), 'type', type, 'subject', subject, 'subjectVersion',
    CAST(subject_version AS TEXT), 'data', data, 'keyId', CAST(key_id AS TEXT), 'requestId', request_id, 'at', at,
    'traceparent', traceparent, 'petId', CAST(pet_id AS TEXT))), totals
  FROM event WHERE position IS NULL ORDER BY subject, subject_version, id;
DELETE FROM event WHERE position IS NULL;

ALTER TABLE event DROP COLUMN totals;
