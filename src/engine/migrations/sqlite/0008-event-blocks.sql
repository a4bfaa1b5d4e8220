-- The number of a block is computed by a shift, as on PostgreSQL: CockroachDB divides integers to a decimal number.
DROP INDEX event_by_pet;
CREATE INDEX event_by_pet ON event (position >> 10, pet_id, position) WHERE pet_id IS NOT NULL;
