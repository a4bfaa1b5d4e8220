-- The number of a block is computed by a shift: the division of two integers has a fraction in some databases.
DROP INDEX event_by_pet;
CREATE INDEX event_by_pet ON event (position >> 10, pet_id, position) WHERE pet_id IS NOT NULL;
