-- The client's own name for an order. Most orders have none, so the indexes contain only those that have one.
ALTER TABLE orders ADD COLUMN reference TEXT COLLATE "C";

CREATE INDEX orders_by_reference ON orders (reference, id) WHERE reference IS NOT NULL;
CREATE INDEX orders_by_reference_ship_date ON orders (reference, ship_date, id)
  WHERE reference IS NOT NULL AND ship_date IS NOT NULL;
