import type { Reader } from '../database/engine.ts'
import { readChanges } from '../database/numbering/totals.ts'
import { sql } from '../database/statement.ts'

/** A row that violates an invariant: `id` is an id, or the name of a total. */
interface Violation {
  readonly id: bigint | string
}

/**
 * The invariants of pets, orders and categories, which hold after every commit. Each statement returns the rows that
 * violate its invariant. None depends on events, because retention deletes old events.
 */
export const invariants = {
  'reserved is between 0 and quantity': sql<Violation>()(
    `SELECT id FROM pet WHERE NOT (reserved BETWEEN 0 AND quantity)`,
  ),
  'the status matches the stock': sql<Violation>()(`
    SELECT id FROM pet WHERE status <> CASE WHEN quantity = 0 THEN 'sold'
      WHEN on_hold = 1 OR quantity = reserved THEN 'pending' ELSE 'available' END`),
  'quantity is the sum of the movements': sql<Violation>()(`
    SELECT pet.id AS id FROM pet WHERE quantity <>
      (SELECT coalesce(sum(quantity_change), 0) FROM movement WHERE pet_id = pet.id)`),
  'reserved is the sum of the open orders': sql<Violation>()(`
    SELECT pet.id AS id FROM pet WHERE reserved <>
      (SELECT coalesce(sum(quantity), 0) FROM orders WHERE pet_id = pet.id AND complete = 0)`),
  'every open order has its pet': sql<Violation>()(`
    SELECT id FROM orders WHERE complete = 0 AND pet_id NOT IN (SELECT id FROM pet)`),
  'every pet has its category': sql<Violation>()(
    `SELECT id FROM pet WHERE category_id NOT IN (SELECT id FROM category)`,
  ),
  'a category counts its pets': sql<Violation>()(`
    SELECT category.id AS id FROM category WHERE pet_count <>
      (SELECT count(*) FROM pet WHERE category_id = category.id)`),
}

/**
 * Returns the totals that differ from the sums of the rows; `missing` is the sum minus the total. On PostgreSQL, an
 * event changes the totals when it gets its position, so the changes of the last events may be missing.
 */
export const totalsInvariant = sql<{ readonly id: string; readonly missing: bigint }>()(`
    WITH counted (name, value) AS (
      SELECT 'pets/' || status, count(*) FROM pet GROUP BY status
      UNION ALL SELECT 'units/onHand', CAST(sum(quantity) AS BIGINT) FROM pet
      UNION ALL SELECT 'units/reserved', CAST(sum(reserved) AS BIGINT) FROM pet
      UNION ALL SELECT 'orders/open', count(*) FROM orders WHERE complete = 0
      UNION ALL SELECT 'orders/placed/' || substr(created_at, 1, 14) ||
          substr('00153045', CAST(substr(created_at, 15, 2) AS INTEGER) / 15 * 2 + 1, 2), count(*)
        FROM orders GROUP BY 1)
    SELECT name AS id, coalesce(counted.value, 0) - coalesce(total.value, 0) AS missing
    FROM counted FULL JOIN total USING (name)
    WHERE coalesce(counted.value, 0) <> coalesce(total.value, 0)`)

const pendingChanges = sql<{ totals: string }>()(
  'SELECT totals FROM event WHERE position IS NULL AND totals IS NOT NULL',
)

/**
 * Returns the names of the totals that are wrong. This runs two statements, which must see the same snapshot: one for
 * the totals, and one for the changes of events that have no position yet.
 */
export async function findWrongTotals(reader: Reader): Promise<readonly string[]> {
  const differences = new Map<string, bigint>()
  const add = (name: string, change: bigint): void => {
    differences.set(name, (differences.get(name) ?? 0n) + change)
  }
  for (const { id, missing } of await reader.many(totalsInvariant)) add(id, missing)
  for (const { totals } of await reader.many(pendingChanges)) {
    for (const [name, change] of Object.entries(readChanges(totals))) add(name, -change)
  }
  return [...differences].filter(([, difference]) => difference !== 0n).map(([name]) => name)
}
