-- A read of the events of one pet looked into every block of 1,024 positions: milliseconds in a store with a million pets.
DROP INDEX event_by_pet;
CREATE INDEX event_by_pet ON event (pet_id, position) WHERE pet_id IS NOT NULL AND position IS NOT NULL;
