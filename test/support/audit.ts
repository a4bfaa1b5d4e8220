import type { TestStore } from './store.ts'

/** The invariants of every store at every moment. Each query returns the rows that violate its invariant. */
const invariants: Readonly<Record<string, string>> = {
  'reserved is between 0 and quantity': `SELECT id FROM pet WHERE NOT (reserved BETWEEN 0 AND quantity)`,
  'the status matches the stock': `
    SELECT id FROM pet WHERE status <> CASE WHEN quantity = 0 THEN 'sold'
      WHEN on_hold = 1 OR quantity = reserved THEN 'pending' ELSE 'available' END`,
  'quantity is the sum of the movements': `
    SELECT pet.id FROM pet WHERE quantity <>
      (SELECT coalesce(sum(quantity_change), 0) FROM movement WHERE pet_id = pet.id)`,
  'reserved is the sum of the open orders': `
    SELECT pet.id FROM pet WHERE reserved <>
      (SELECT coalesce(sum(quantity), 0) FROM orders WHERE pet_id = pet.id AND complete = 0)`,
  'every open order has its pet': `
    SELECT id FROM orders WHERE complete = 0 AND pet_id NOT IN (SELECT id FROM pet)`,
  'every pet has its category': `SELECT id FROM pet WHERE category_id NOT IN (SELECT id FROM category)`,
  'a category counts its pets': `
    SELECT category.id FROM category WHERE pet_count <>
      (SELECT count(*) FROM pet WHERE category_id = category.id)`,
  'every order that was placed and not cancelled exists, and was placed once': `
    SELECT subject FROM event WHERE type = 'petstore.order.placed'
      AND subject NOT IN (SELECT subject FROM event WHERE type = 'petstore.order.cancelled')
    GROUP BY subject HAVING count(*) <> 1
      OR subject NOT IN (SELECT 'orders/' || CAST(id AS TEXT) FROM orders)`,
  'every order has its event': `
    SELECT id FROM orders WHERE 'orders/' || CAST(id AS TEXT) NOT IN
      (SELECT subject FROM event WHERE type = 'petstore.order.placed')`,
  'every movement has its event': `
    SELECT pet_id, version FROM movement WHERE ('inventory/' || CAST(pet_id AS TEXT), version) NOT IN
      (SELECT subject, subject_version FROM event WHERE type = 'petstore.inventory.changed')`,
  'every event is listed under its pet': `
    SELECT id FROM event WHERE coalesce(pet_id, 0) <> CASE
      WHEN subject LIKE 'pets/%' THEN CAST(substr(subject, 6) AS BIGINT)
      WHEN subject LIKE 'inventory/%' THEN CAST(substr(subject, 11) AS BIGINT)
      WHEN subject LIKE 'orders/%' AND data LIKE '%"petId":' || CAST(pet_id AS TEXT) || ',%' THEN pet_id
      WHEN subject LIKE 'orders/%' THEN -1 ELSE 0 END`,
  'the totals are the sums of the rows': `
    WITH counted (name, value) AS (
      SELECT 'pets/' || status, count(*) FROM pet GROUP BY status
      UNION ALL SELECT 'units/onHand', CAST(sum(quantity) AS BIGINT) FROM pet
      UNION ALL SELECT 'units/reserved', CAST(sum(reserved) AS BIGINT) FROM pet
      UNION ALL SELECT 'orders/open', count(*) FROM orders WHERE complete = 0
      UNION ALL SELECT 'orders/placed/' || substr(created_at, 1, 10), count(*) FROM orders
        GROUP BY substr(created_at, 1, 10))
    SELECT name FROM counted FULL JOIN total USING (name)
    WHERE coalesce(counted.value, 0) <> coalesce(total.value, 0)`,
  'no claim of an idempotency key is left open': `SELECT idempotency_key FROM reply WHERE status = 0`,
}

/** The longest time that the sequencer may take to number committed events. It checks once a second. */
const NUMBERED_MS_MAX = 10_000

/** Returns the violated invariants of a store, each with the number of violating rows; [] if there are none. */
export async function audit(store: Pick<TestStore, 'database'>): Promise<string[]> {
  const broken: string[] = []
  await waitForPositions(store)
  for (const [invariant, query] of Object.entries(invariants)) {
    const rows = await store.database(query)
    if (rows.length > 0) broken.push(`${invariant}: broken in ${rows.length} rows`)
  }
  return broken
}

/** Waits until every event has its position. On PostgreSQL, the totals change when an event gets its position. */
async function waitForPositions(store: Pick<TestStore, 'database'>): Promise<void> {
  const deadline = performance.now() + NUMBERED_MS_MAX
  while ((await store.database('SELECT id FROM event WHERE position IS NULL LIMIT 1')).length > 0) {
    if (performance.now() > deadline) throw new Error('committed events are not numbered')
    await Bun.sleep(10)
  }
}
