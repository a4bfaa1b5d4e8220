-- The pet that an event is about. The event reports a change of the pet itself, of its stock, or of an order for it.
ALTER TABLE event ADD COLUMN pet_id BIGINT;

UPDATE event SET pet_id = CASE
  WHEN subject LIKE 'pets/%' THEN CAST(substr(subject, 6) AS BIGINT)
  WHEN subject LIKE 'inventory/%' THEN CAST(substr(subject, 11) AS BIGINT)
  ELSE CAST(CAST(data AS json) ->> 'petId' AS BIGINT) END
WHERE subject LIKE 'pets/%' OR subject LIKE 'inventory/%' OR subject LIKE 'orders/%';

-- The index begins with the block of 1,024 positions, so the orders of one commit write few of its pages. If the index
-- began with the pet, each order would write a different page.
-- An event is added to the index when the sequencer gives it its position.
CREATE INDEX event_by_pet ON event ((position / 1024), pet_id, position)
WHERE pet_id IS NOT NULL AND position IS NOT NULL;
