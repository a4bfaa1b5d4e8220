INSERT INTO counter (noun, last) SELECT 'sale', last FROM counter WHERE noun = 'order';

-- `receipt`: the id of the first order that was sold with this one; null while the order is open.
-- `returned`: the units that came back.
ALTER TABLE orders ADD COLUMN receipt BIGINT;
ALTER TABLE orders ADD COLUMN returned BIGINT NOT NULL DEFAULT 0 CHECK (returned BETWEEN 0 AND quantity);
UPDATE orders SET receipt = id WHERE complete = 1;
-- A process of an earlier version that still runs cannot complete an order without a line in the books.
ALTER TABLE orders ADD CONSTRAINT orders_receipt CHECK ((complete = 1) = (receipt IS NOT NULL));

-- The books: a line for each completed order, and one with a negative quantity for each return. No line is changed or
-- deleted. The key begins with the receipt, because each sale writes every index of this table.
-- `pet_name`: null in the line of an order of an earlier version for a pet that was deleted.
-- `key_id`: the key that sold or took back; null in the lines of earlier versions.
CREATE TABLE sale_line (
  id BIGINT NOT NULL,
  at TEXT COLLATE "C" NOT NULL,
  receipt BIGINT NOT NULL,
  order_id BIGINT NOT NULL,
  pet_id BIGINT NOT NULL,
  pet_name TEXT COLLATE "C",
  quantity BIGINT NOT NULL CHECK (quantity <> 0 AND quantity BETWEEN -1000000 AND 1000000),
  unit_price BIGINT CHECK (unit_price * abs(quantity) BETWEEN 0 AND 1000000000000),
  note TEXT COLLATE "C",
  restocked BIGINT CHECK (restocked IN (0, 1)),
  key_id BIGINT,
  PRIMARY KEY (receipt, id),
  CHECK ((quantity < 0) = (restocked IS NOT NULL))
);

CREATE INDEX sale_line_by_time ON sale_line (at, id);
CREATE INDEX sale_line_by_pet ON sale_line (pet_id, at, id);

INSERT INTO sale_line (id, at, receipt, order_id, pet_id, pet_name, quantity, unit_price)
SELECT id, completed_at, id, id, pet_id, pet_name, quantity, unit_price FROM orders WHERE complete = 1;

-- The sums of the lines of each quarter-hour of UTC, such as '2026-11-22T10:15'. A day begins at another instant in each
-- time zone, and all zones of today begin their days at a quarter-hour.
CREATE TABLE sales_total (
  quarter_hour TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  lines BIGINT NOT NULL,
  units BIGINT NOT NULL,
  amount BIGINT NOT NULL,
  returned_units BIGINT NOT NULL,
  returned_amount BIGINT NOT NULL
);

INSERT INTO sales_total (quarter_hour, lines, units, amount, returned_units, returned_amount)
SELECT substr(at, 1, 14) || CASE WHEN substr(at, 15, 2) < '15' THEN '00' WHEN substr(at, 15, 2) < '30' THEN '15'
  WHEN substr(at, 15, 2) < '45' THEN '30' ELSE '45' END AS quarter_hour, count(*), sum(quantity),
  coalesce(sum(quantity * unit_price), 0), 0, 0 FROM sale_line GROUP BY 1;
