-- Amounts are integers in minor units of the currency of the store, which `metadata` names.
ALTER TABLE pet ADD COLUMN price BIGINT CHECK (price BETWEEN 0 AND 1000000000000);
ALTER TABLE staged_row ADD COLUMN price BIGINT;

-- What was sold: a later name, another price or the deletion of the pet does not change an order.
ALTER TABLE orders ADD COLUMN pet_name TEXT COLLATE "C";
ALTER TABLE orders ADD COLUMN unit_price BIGINT CHECK (unit_price BETWEEN 0 AND 1000000000000);
ALTER TABLE orders ADD COLUMN completed_at TEXT COLLATE "C";
UPDATE orders SET pet_name = (SELECT name FROM pet WHERE pet.id = pet_id),
  completed_at = CASE WHEN complete = 1 THEN updated_at END;
