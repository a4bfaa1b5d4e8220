-- The blocks of the index by a shift: a division of integers has another result in some databases.
DROP INDEX event_by_pet;
CREATE INDEX event_by_pet ON event (position >> 10, pet_id, position) WHERE pet_id IS NOT NULL;
