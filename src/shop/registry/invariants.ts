import type { Reader } from '../../database/engine.ts'
import { readChanges } from '../../database/numbering/totals.ts'
import { dynamicSql, sql } from '../../database/statement.ts'
import { nameWordsOf } from '../../values/search-words.ts'
import { sortKey } from '../../values/text.ts'

/** A row that violates an invariant: `id` is an id, or the name of a total. */
interface Violation {
  readonly id: bigint | string
}

const quarterHourSql = <const Column extends string>(column: Column) =>
  `substr(${column}, 1, 14) || CASE WHEN substr(${column}, 15, 2) < '15' THEN '00'
    WHEN substr(${column}, 15, 2) < '30' THEN '15'
    WHEN substr(${column}, 15, 2) < '45' THEN '30' ELSE '45' END` as const

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
  'every complete order has one line of its sale': sql<Violation>()(`
    SELECT id FROM orders WHERE complete <> (SELECT count(*) FROM sale_line
      WHERE sale_line.receipt = orders.receipt AND order_id = orders.id AND sale_line.quantity = orders.quantity)`),
  'the returned units are the sum of the lines of returns': sql<Violation>()(`
    SELECT id FROM orders WHERE returned <> (SELECT coalesce(-sum(quantity), 0) FROM sale_line
      WHERE sale_line.receipt = orders.receipt AND order_id = orders.id AND quantity < 0)`),
  'every line of the books says what its order says': sql<Violation>()(`
    SELECT id FROM sale_line WHERE NOT EXISTS (SELECT 1 FROM orders
      WHERE orders.id = order_id AND orders.receipt = sale_line.receipt AND orders.pet_id = sale_line.pet_id
        AND coalesce(orders.pet_name, '') = coalesce(sale_line.pet_name, '')
        AND coalesce(orders.unit_price, -1) = coalesce(sale_line.unit_price, -1))`),
  'what came back into the stock is what the books say': sql<Violation>()(`
    SELECT order_id AS id FROM
      (SELECT order_id, pet_id, at, -sum(quantity) AS units FROM sale_line WHERE restocked = 1
        GROUP BY order_id, pet_id, at) AS line
      FULL JOIN (SELECT order_id, pet_id, at, sum(quantity_change) AS units FROM movement WHERE reason = 'return'
        GROUP BY order_id, pet_id, at) AS back USING (order_id, pet_id, at)
    WHERE coalesce(line.units, 0) <> coalesce(back.units, 0)`),
  'every pet has its category': sql<Violation>()(
    `SELECT id FROM pet WHERE category_id NOT IN (SELECT id FROM category)`,
  ),
  'a barcode is that of one pet': sql<Violation>()(`
    SELECT coalesce(pet.id, pet_id) AS id FROM pet_barcode FULL JOIN pet
      ON pet.id = pet_id AND ltrim(pet.barcode, '0') = ltrim(pet_barcode.barcode, '0')
    WHERE pet.id IS NULL OR pet_id IS NULL AND pet.barcode IS NOT NULL`),
  'a category counts its pets': sql<Violation>()(`
    SELECT category.id AS id FROM category WHERE pet_count <>
      (SELECT count(*) FROM pet WHERE category_id = category.id)`),
}

/**
 * Returns the totals that differ from the sums of the rows; `missing` is the sum minus the total. On PostgreSQL, an
 * event changes the totals when it gets its position, so the changes of the last events may be missing.
 */
export const totalsInvariant = sql<{ readonly id: string; readonly missing: bigint }>()(`
    WITH line (quarter_hour, quantity, amount) AS (
      SELECT ${quarterHourSql('at')}, quantity, coalesce(quantity * unit_price, 0) FROM sale_line),
    counted (name, value) AS (
      SELECT 'pets/' || status, count(*) FROM pet GROUP BY status
      UNION ALL SELECT 'units/onHand', CAST(sum(quantity) AS BIGINT) FROM pet
      UNION ALL SELECT 'units/reserved', CAST(sum(reserved) AS BIGINT) FROM pet
      UNION ALL SELECT 'orders/open', count(*) FROM orders WHERE complete = 0
      UNION ALL SELECT 'orders/placed/' || ${quarterHourSql('created_at')}, count(*) FROM orders GROUP BY 1
      UNION ALL SELECT 'sales/' || quarter_hour || '/lines', count(*) FROM line GROUP BY quarter_hour
      UNION ALL SELECT 'sales/' || quarter_hour || '/units', CAST(sum(quantity) AS BIGINT)
        FROM line WHERE quantity > 0 GROUP BY quarter_hour
      UNION ALL SELECT 'sales/' || quarter_hour || '/amount', CAST(sum(amount) AS BIGINT)
        FROM line WHERE quantity > 0 GROUP BY quarter_hour
      UNION ALL SELECT 'sales/' || quarter_hour || '/returnedUnits', -CAST(sum(quantity) AS BIGINT)
        FROM line WHERE quantity < 0 GROUP BY quarter_hour
      UNION ALL SELECT 'sales/' || quarter_hour || '/returnedAmount', -CAST(sum(amount) AS BIGINT)
        FROM line WHERE quantity < 0 GROUP BY quarter_hour),
    stored (name, value) AS (
      SELECT name, value FROM total
      UNION ALL SELECT 'sales/' || quarter_hour || '/lines', lines FROM sales_total
      UNION ALL SELECT 'sales/' || quarter_hour || '/units', units FROM sales_total
      UNION ALL SELECT 'sales/' || quarter_hour || '/amount', amount FROM sales_total
      UNION ALL SELECT 'sales/' || quarter_hour || '/returnedUnits', returned_units FROM sales_total
      UNION ALL SELECT 'sales/' || quarter_hour || '/returnedAmount', returned_amount FROM sales_total)
    SELECT name AS id, coalesce(counted.value, 0) - coalesce(stored.value, 0) AS missing
    FROM counted FULL JOIN stored USING (name)
    WHERE coalesce(counted.value, 0) <> coalesce(stored.value, 0)`)

const pendingChanges = sql<{ totals: string }>()('SELECT totals FROM event_batch WHERE totals IS NOT NULL')

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

const ROWS_PER_READ = 1000

interface KeyedName {
  readonly id: bigint
  readonly name: string
  readonly sortKey: string
}

const readKeys = (table: 'category' | 'pet', after: bigint) =>
  dynamicSql<KeyedName>(
    place => `SELECT id, name, sort_key AS "sortKey" FROM ${table} WHERE id > ${place(after)} ORDER BY id
      LIMIT ${ROWS_PER_READ}`,
  )

const readWords = sql<{ word: string; petId: bigint; name: string | null }>()(`
  SELECT word, pet_id AS "petId", name FROM pet_word LEFT JOIN pet ON pet.id = pet_id
  WHERE (word, pet_id) > ($word, $petId) ORDER BY word, pet_id LIMIT ${ROWS_PER_READ}`)

/**
 * Returns the pets and categories whose sort key or words differ from those of their names, and how many words are
 * missing. SQL cannot fold a name, so this is not one of the invariants above.
 */
export async function findWrongKeys(reader: Reader): Promise<readonly string[]> {
  const wrong = new Set<string>()
  let missing = 0
  for (const table of ['category', 'pet'] as const) {
    for (let after: bigint | undefined = 0n; after !== undefined; ) {
      const rows: readonly KeyedName[] = await reader.many(readKeys(table, after))
      for (const row of rows) {
        if (row.sortKey !== sortKey(row.name)) wrong.add(`${table} ${row.id}`)
        if (table === 'pet') missing += nameWordsOf(row.name).length
      }
      after = rows.at(-1)?.id
    }
  }
  for (let after: { word: string; petId: bigint } | undefined = { word: '', petId: 0n }; after; ) {
    const rows: readonly { word: string; petId: bigint; name: string | null }[] = await reader.many(
      readWords,
      { ...after },
    )
    for (const { word, petId, name } of rows) {
      if (name !== null && nameWordsOf(name).includes(word)) missing--
      else wrong.add(`pet ${petId}`)
    }
    after = rows.at(-1)
  }
  return [...wrong, ...(missing > 0 ? [`${missing} words are missing`] : [])]
}
