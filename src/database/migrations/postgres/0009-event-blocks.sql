-- A shift computes the number of a block, because a division of integers returns a decimal number in CockroachDB.
DROP INDEX event_by_pet;
CREATE INDEX event_by_pet ON event ((position >> 10), pet_id, position)
WHERE pet_id IS NOT NULL AND position IS NOT NULL;
