-- The totals that the summary shows, such as 'pets/available', 'units/onHand' and 'orders/placed/2026-11-22'.
CREATE TABLE total (
  name TEXT NOT NULL PRIMARY KEY,
  value BIGINT NOT NULL
);

INSERT INTO total (name, value)
SELECT 'pets/' || status, count(*) FROM pet GROUP BY status
UNION ALL SELECT 'units/onHand', CAST(coalesce(sum(quantity), 0) AS BIGINT) FROM pet
UNION ALL SELECT 'units/reserved', CAST(coalesce(sum(reserved), 0) AS BIGINT) FROM pet
UNION ALL SELECT 'orders/open', count(*) FROM orders WHERE complete = 0
UNION ALL SELECT 'orders/placed/' || substr(created_at, 1, 10), count(*) FROM orders GROUP BY substr(created_at, 1, 10);

-- The changes of the totals by an event that has no position yet. Only PostgreSQL has such events after a commit.
ALTER TABLE event ADD COLUMN totals TEXT;

DROP INDEX orders_by_day;
