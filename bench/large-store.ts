import { Database } from 'bun:sqlite'
import { databaseFile } from '../src/database/sqlite/database-file.ts'
import { REQUEST_ID } from './order-statements.ts'
import { PET_ID_FIRST, type Place, startStore } from './store.ts'

export const CATEGORIES = 50
/** The pattern of stock and orders repeats after this many pets, so stores of all sizes have the same proportions. */
const PETS_PER_PATTERN = 1000
/** Every fifth pet has one order. */
export const PETS_PER_ORDER = 5
/** High enough that the ids of all orders have the same number of digits. */
export const ORDER_ID_FIRST = 1_000_001
/** Every fourth order has a reference. */
export const ORDERS_PER_REFERENCE = 4
/** Each ship date is a whole number of hours, below this number, after the creation of the store. */
const SHIP_HOURS = 200

/** About a twentieth of the pets have names that start with the first word, in a store of any size. */
const WORDS = [
  ...['Biscuit', 'Argos', 'Bella', 'Coco', 'Daisy', 'Echo', 'Fern', 'Ginger', 'Hazel', 'Iris'],
  ...['Juno', 'Kiwi', 'Luna', 'Mango', 'Nala', 'Olive', 'Pepper', 'Ruby', 'Saffron', 'Tulip'],
]
export const COMMON_NAME = 'biscuit'
/** Ten pets have names that start with this text, in a store of any size. */
export const RARE_NAME = 'quincy'

/** A placeholder that has the length of an event hash. The hash chain is invalid, but no read verifies it. */
const HASH = 'h'.repeat(43)

/** The page cache of the connection that fills a store. It is large, because indexes are written in random order. */
const FILL_CACHE_KIB = 1_048_576

/** A store with many rows, and the facts about it that the reads need. */
export interface LargeStore extends Place {
  readonly pets: number
  /** The instant at which all its rows were created. */
  readonly createdAt: string
  /** The position of the last event. */
  readonly head: number
  /** The pet in the middle of the list by name. */
  readonly middleName: { readonly sortKey: string; readonly id: number }
}

/**
 * Creates a store on SQLite with `pets` pets in 50 categories, their orders, movements and events. `pets` must be a
 * multiple of 1,000, so that stock and orders have the same proportions in every store. Throws otherwise.
 */
export async function makeLargeStore(directory: string, pets: number): Promise<LargeStore> {
  if (pets % PETS_PER_PATTERN !== 0) throw new Error(`${pets} is not a multiple of ${PETS_PER_PATTERN}`)
  await makeEmptyStore(directory)
  const createdAt = new Date().toISOString()
  using database = new Database(databaseFile(directory))
  const chainEnd = database.query<{ position: number }, []>(
    `SELECT position FROM chain_end WHERE name = 'head'`,
  )
  const headBefore = chainEnd.get()?.position ?? 0
  // Until the file is complete, nothing needs to be durable.
  for (const pragma of ['journal_mode = OFF', 'synchronous = OFF', `cache_size = -${FILL_CACHE_KIB}`]) {
    database.run(`PRAGMA ${pragma}`)
  }
  database.run('PRAGMA temp_store = MEMORY')
  const statements = [
    ...sourceStatements(pets),
    ...catalogueStatements(pets, createdAt),
    ...orderStatements(createdAt),
    ...eventStatements(pets, headBefore, createdAt),
    ...countStatements(pets, createdAt),
  ]
  for (const statement of statements) database.run(statement)
  const middleName = database
    .query<{ sortKey: string; id: number }, [number]>(
      'SELECT sort_key AS sortKey, id FROM pet ORDER BY sort_key, id LIMIT 1 OFFSET ?',
    )
    .get(pets / 2)
  const head = chainEnd.get()?.position
  if (!middleName || head === undefined) throw new Error(`${directory} was not filled`)
  database.run('PRAGMA journal_mode = WAL')
  return { directory, pets, createdAt, head, middleName }
}

/** Creates a store without the demo shop, and stops its server. */
export async function makeEmptyStore(directory: string): Promise<void> {
  await using _ = await startStore({ directory }, { demo: false })
}

/** Returns the name of the category with this id. */
export function categoryName(id: number): string {
  return `Category ${id}`
}

/** Returns the statements that create the table `source`: one row for each pet, from which other tables are filled. */
function sourceStatements(pets: number): string[] {
  // The kind of stock of a pet, from 0 to 19. 7919 and 1000 are coprime, so each category has all kinds.
  const stockKind = `(i * 7919 % ${PETS_PER_PATTERN} / ${CATEGORIES})`
  const hasOrder = `(i % ${PETS_PER_ORDER} = 0)`
  const isOpen = `(${stockKind} = 5 OR ${stockKind} > 5 AND ${stockKind} % 2 = 1)`
  return [
    `CREATE TEMP TABLE source AS
     WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${pets - 1})
     SELECT i, ${PET_ID_FIRST} + i AS pet_id, i * 7919 % ${CATEGORIES} + 1 AS category_id,
       CASE WHEN i < ${PETS_PER_PATTERN} AND i % 100 = 7 THEN 'Quincy'
            ELSE json_extract('${JSON.stringify(WORDS)}', '$[' || (i / ${CATEGORIES} % ${WORDS.length}) || ']') END
         || ' ' || (${PET_ID_FIRST} + i) AS name,
       CASE WHEN ${stockKind} < 4 THEN 0 WHEN ${stockKind} < 6 THEN ${stockKind} - 3 ELSE ${stockKind} + 1 END
         AS quantity,
       NOT ${hasOrder} AND ${stockKind} IN (4, 5) AS on_hold,
       CASE WHEN NOT ${hasOrder} THEN 0 WHEN ${stockKind} = 5 THEN 2 ELSE 1 END AS ordered,
       ${hasOrder} AND ${isOpen} AS is_open FROM n`,
    'ALTER TABLE source ADD COLUMN reserved INTEGER',
    'ALTER TABLE source ADD COLUMN opening INTEGER',
    'UPDATE source SET reserved = ordered * is_open, opening = quantity + ordered * (1 - is_open)',
  ]
}

/** Returns the SQL of a pet's status. It is the rule of the CHECK in the table `pet`, for the columns of `source`. */
function statusText(quantity: string, reserved: string): string {
  return `CASE WHEN ${quantity} = 0 THEN 'sold' WHEN on_hold = 1 OR ${quantity} = ${reserved} THEN 'pending'
    ELSE 'available' END`
}

function catalogueStatements(pets: number, at: string): string[] {
  return [
    ...Array.from({ length: CATEGORIES }, (_, index) => {
      const name = categoryName(index + 1)
      const key = name.toLowerCase()
      return `INSERT INTO category (id, name, name_key, sort_key, description, pet_count, version, created_at,
          updated_at)
        VALUES (${index + 1}, '${name}', '${key}', '${key}', NULL, ${pets / CATEGORIES}, 1, '${at}', '${at}')`
    }),
    `INSERT INTO pet (id, name, name_key, sort_key, category_id, on_hold, quantity, reserved, status, version,
       created_at, updated_at)
     SELECT pet_id, name, lower(name), lower(name), category_id, on_hold, quantity, reserved,
       ${statusText('quantity', 'reserved')}, 1 + (ordered > 0), '${at}', '${at}' FROM source ORDER BY i`,
    `INSERT INTO pet_word (word, pet_id)
     SELECT substr(lower(name), 1, instr(name, ' ') - 1) AS word, pet_id FROM source
     UNION ALL SELECT CAST(pet_id AS TEXT), pet_id FROM source ORDER BY word, pet_id`,
    `INSERT INTO movement (pet_id, version, id, quantity_change, reserved_change, quantity, reserved, reason, at)
     SELECT pet_id, 1, 2 * i + 1, opening, 0, opening, 0, 'opening', '${at}' FROM source WHERE opening > 0 ORDER BY i`,
  ]
}

function orderStatements(at: string): string[] {
  const number = `i / ${PETS_PER_ORDER}`
  const shipDate = `strftime('%Y-%m-%dT%H:%M:%fZ', '${at}', '+' || (${number} % ${SHIP_HOURS}) || ' hours')`
  return [
    `INSERT INTO orders (id, pet_id, quantity, ship_date, complete, version, created_at, updated_at, reference)
     SELECT ${ORDER_ID_FIRST} + ${number}, pet_id, ordered, CASE WHEN is_open AND ${number} % 4 = 1 THEN NULL
       ELSE ${shipDate} END, 1 - is_open, 1, '${at}', '${at}',
       CASE WHEN ${number} % ${ORDERS_PER_REFERENCE} = 0 THEN 'R-' || (${ORDER_ID_FIRST} + ${number}) END
     FROM source WHERE ordered > 0 ORDER BY i`,
    `INSERT INTO movement (pet_id, version, id, quantity_change, reserved_change, quantity, reserved, reason,
       order_id, at)
     SELECT pet_id, 2, 2 * i + 2, CASE WHEN is_open THEN 0 ELSE -ordered END, reserved, quantity, reserved,
       CASE WHEN is_open THEN 'order' ELSE 'completion' END, ${ORDER_ID_FIRST} + ${number}, '${at}'
     FROM source WHERE ordered > 0 ORDER BY i`,
  ]
}

/** Returns the statements that insert two events for each pet, and then two for each order, after position `head`. */
function eventStatements(pets: number, head: number, at: string): string[] {
  const insert = `
    INSERT INTO event (id, position, hash, type, subject, subject_version, data, key_id, request_id, at, pet_id)
    WITH part (second) AS (VALUES (0), (1))`
  const stockData = (quantity: string, reserved: string): string =>
    `'{"petId":' || pet_id || ',"quantity":' || ${quantity} || ',"status":"' || ${statusText(quantity, reserved)} ||
       '","reserved":' || ${reserved} || '}'`
  const petPosition = `${head} + 2 * i + 1 + second`
  const orderPosition = `${head + 2 * pets} + 2 * (i / ${PETS_PER_ORDER}) + 1 + second`
  return [
    `${insert} SELECT ${petPosition}, ${petPosition}, '${HASH}',
       iif(second, 'petstore.inventory.changed', 'petstore.pet.created'),
       iif(second, 'inventory/', 'pets/') || pet_id, 1,
       iif(second, ${stockData('opening', '0')}, '{"id":' || pet_id || ',"name":"' || name || '","categoryId":' ||
         category_id || ',"status":"' || ${statusText('opening', '0')} || '"}'),
       1, '${REQUEST_ID}', '${at}', pet_id FROM source CROSS JOIN part ORDER BY i, second`,
    `${insert} SELECT ${orderPosition}, ${orderPosition}, '${HASH}',
       iif(second, 'petstore.order.placed', 'petstore.inventory.changed'),
       iif(second, 'orders/' || orders.id, 'inventory/' || pet_id), iif(second, 1, 2),
       iif(second, '{"id":' || orders.id || ',"petId":' || pet_id || ',"quantity":' || ordered ||
         coalesce(',"shipDate":"' || ship_date || '"', '') || ',"complete":' || iif(complete, 'true', 'false') ||
         coalesce(',"reference":"' || reference || '"', '') || '}', ${stockData('source.quantity', 'source.reserved')}),
       1, '${REQUEST_ID}', '${at}', pet_id FROM source JOIN orders USING (pet_id) CROSS JOIN part ORDER BY i, second`,
  ]
}

/** Returns the statements that set the last ids, the end of the hash chain, and the totals of the summary. */
function countStatements(pets: number, at: string): string[] {
  const day = at.slice(0, 10)
  return [
    `UPDATE counter SET last = (SELECT max(id) FROM category) WHERE noun = 'category'`,
    `UPDATE counter SET last = (SELECT max(id) FROM pet) WHERE noun = 'pet'`,
    `UPDATE counter SET last = (SELECT max(id) FROM orders) WHERE noun = 'order'`,
    `UPDATE counter SET last = ${2 * pets} WHERE noun = 'movement'`,
    `UPDATE counter SET last = (SELECT max(id) FROM event) WHERE noun = 'event'`,
    `UPDATE chain_end SET position = (SELECT max(position) FROM event), hash = '${HASH}' WHERE name = 'head'`,
    'DELETE FROM total',
    `INSERT INTO total (name, value)
     SELECT 'pets/' || status, count(*) FROM pet GROUP BY status
     UNION ALL SELECT 'units/onHand', sum(quantity) FROM pet
     UNION ALL SELECT 'units/reserved', sum(reserved) FROM pet
     UNION ALL SELECT 'orders/open', count(*) FROM orders WHERE complete = 0
     UNION ALL SELECT 'orders/placed/${day}', count(*) FROM orders`,
    'DROP TABLE source',
  ]
}
