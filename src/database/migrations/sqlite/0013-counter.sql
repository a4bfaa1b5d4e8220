-- Orders by the time at which they were placed: the orders of a day.
CREATE INDEX orders_by_created ON orders (complete, created_at);

-- A day begins at another instant in each time zone, so orders are counted by quarter-hour of UTC, such as
-- 'orders/placed/2026-11-22T10:15'. All zones of today begin their days at one.
DELETE FROM total WHERE name >= 'orders/placed/' AND name < 'orders/placed0';
INSERT INTO total (name, value)
  SELECT 'orders/placed/' || substr(created_at, 1, 14) ||
    CASE WHEN substr(created_at, 15, 2) < '15' THEN '00' WHEN substr(created_at, 15, 2) < '30' THEN '15'
      WHEN substr(created_at, 15, 2) < '45' THEN '30' ELSE '45' END, count(*)
  FROM orders GROUP BY 1;

-- The level at which a pet should be reordered. The index contains only the pets that are at or below theirs.
ALTER TABLE pet ADD COLUMN reorder_at INTEGER CHECK (reorder_at BETWEEN 0 AND 1000000000);
CREATE INDEX pet_to_reorder ON pet (quantity) WHERE quantity <= reorder_at;
ALTER TABLE staged_row ADD COLUMN reorder_at INTEGER;
