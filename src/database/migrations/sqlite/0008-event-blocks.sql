-- A shift computes the number of a block, as on PostgreSQL: a division of integers returns a decimal number in
-- CockroachDB.
DROP INDEX event_by_pet;
CREATE INDEX event_by_pet ON event (position >> 10, pet_id, position) WHERE pet_id IS NOT NULL;
