import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import type { Reader } from '../../src/database/engine.ts'
import { sqliteMigrations } from '../../src/database/migrations/migrations.ts'
import { type ParametersOf, type Statement, type Value, valuesOf } from '../../src/database/statement.ts'
import { listCategories } from '../../src/shop/categories/verbs.ts'
import { listAudit } from '../../src/shop/events/audit.ts'
import { readEventPage } from '../../src/shop/events/feed.ts'
import { listInventory, listMovements } from '../../src/shop/inventory/verbs.ts'
import { listOrders } from '../../src/shop/orders/verbs.ts'
import { listPets } from '../../src/shop/pets/verbs.ts'

interface PlanStep {
  readonly detail: string
}

/** Rows for two pages of every list: categories, pets of each status, orders of pets 1 to 3, movements of pet 1. */
const ROWS = `
  INSERT INTO category (id, name, name_key, sort_key, pet_count, version, created_at, updated_at)
  WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 19)
  SELECT i + 1, 'Dog ' || i, 'dog ' || i, 'dog ' || i, 6, 1, '', '' FROM n;
  INSERT INTO pet (id, name, name_key, sort_key, category_id, on_hold, quantity, reserved, status, version,
    created_at, updated_at)
  WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 119)
  SELECT i + 1, 'Bis ' || i, 'bis ' || i, 'bis ' || i, i % 20 + 1, i / 20 % 3 = 1, i / 20 % 3, 0,
    CASE i / 20 % 3 WHEN 0 THEN 'sold' WHEN 1 THEN 'pending' ELSE 'available' END, 1, '', '' FROM n;
  INSERT INTO pet_word (word, pet_id) SELECT 'bis', id FROM pet UNION ALL SELECT substr(name, 5), id FROM pet;
  INSERT INTO orders (id, pet_id, quantity, ship_date, complete, reference, version, created_at, updated_at)
  WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 23)
  SELECT i + 1, i % 3 + 1, 1, '2026-06-01T00:00:00.000Z', i / 3 % 2, 'R-2026-0042', 1, '', '' FROM n;
  INSERT INTO movement (pet_id, version, id, quantity_change, reserved_change, quantity, reserved, reason, at)
  VALUES (1, 1, 1, 1, 0, 1, 0, 'opening', ''), (1, 2, 2, 1, 0, 2, 0, 'count', '')`

/** A reader of a SQLite database with a few rows, which records the plan of every list. */
class PlanReader implements Reader {
  /** The plan steps that can read more rows than a page, or that sort them. */
  readonly costly: string[] = []
  /** All plan steps. */
  readonly details: string[] = []
  readonly #database = new Database(':memory:', { safeIntegers: true })

  /** Runs `change` on the tables before they get rows. */
  constructor(change = '') {
    this.#database.run(sqliteMigrations.scripts.join('\n'))
    if (change) this.#database.run(change)
    this.#database.run(ROWS)
  }

  one<Row, Name extends string>(
    statement: Statement<Row, Name>,
    ...parameters: ParametersOf<Name>
  ): Row | undefined {
    const query = this.#database.query<Row, Value[]>(statement.text.replaceAll('$', '?'))
    return query.get(...valuesOf(statement, parameters)) ?? undefined
  }

  many<Row, Name extends string>(statement: Statement<Row, Name>, ...parameters: ParametersOf<Name>): Row[] {
    const text = statement.text.replaceAll('$', '?')
    const values = valuesOf(statement, parameters)
    const steps = this.#database.query<PlanStep, Value[]>(`EXPLAIN QUERY PLAN ${text}`).all(...values)
    for (const { detail } of steps) {
      this.details.push(detail)
      // Without a filter, a scan of the whole table in key order stops after a page.
      const filteredScan =
        /^SCAN (pet|pet_word|category|orders|movement)$/.test(detail) && text.includes('WHERE')
      if (filteredScan || detail.includes('TEMP B-TREE')) this.costly.push(`${detail} in ${text}`)
    }
    return this.#database.query<Row, Value[]>(text).all(...values)
  }
}

/** Reads the first two pages of a list, with one row each. Throws if the list has no second page. */
async function readTwoPages(
  read: (page: { limit: number; cursor?: string }) => Promise<{ readonly next?: string | undefined }>,
): Promise<void> {
  const { next } = await read({ limit: 1 })
  if (next === undefined) throw new Error('the list has no second page')
  await read({ limit: 1, cursor: next })
}

const statuses = [undefined, ['sold'], ['available', 'pending']] as const
const categories = [undefined, [1n], Array.from({ length: 20 }, (_, index) => BigInt(index + 1))] as const
const byName = ['id', '-id', 'name', '-name'] as const
const byQuantity = ['id', '-id', 'quantity', '-quantity'] as const
const byShipDate = ['id', '-id', 'shipDate', '-shipDate'] as const

test('every list of pets without a filter by id is read from an index', async () => {
  const reader = new PlanReader()
  for (const status of statuses) {
    for (const categoryId of categories) {
      const filters = { status, categoryId }
      for (const sort of byName) {
        await readTwoPages(page => listPets(reader, { ...page, ...filters, sort }))
      }
      for (const sort of ['name', '-name'] as const) {
        await readTwoPages(page => listPets(reader, { ...page, ...filters, name: 'bis', sort }))
      }
    }
  }
  expect(reader.costly).toEqual([])
})

test('a search reads a range of words, and the pets of these words by id', async () => {
  const reader = new PlanReader()
  for (const search of ['bis', 'b 1', '11 bis', 'is']) {
    await readTwoPages(page => listPets(reader, { ...page, search, status: ['sold', 'available'] }))
    await readTwoPages(page => listInventory(reader, { ...page, search, quantityAtMost: 2n }))
  }
  expect(reader.costly).toEqual([])
  const reads = reader.details.filter(detail => /^(SCAN|SEARCH) pet/.test(detail))
  expect(new Set(reads)).toEqual(
    new Set([
      'SEARCH pet_word USING PRIMARY KEY ((word,pet_id)>(?,?) AND word<?)',
      // The words that contain a text: a whole slice, the word after it, and the pets of that word.
      'SEARCH pet_word USING PRIMARY KEY (word>?)',
      'SEARCH pet_word USING PRIMARY KEY (word=? AND pet_id>?)',
      'SEARCH pet USING INTEGER PRIMARY KEY (rowid=?)',
    ]),
  )
})

test('every list of categories, inventory items, orders and movements is read from an index', async () => {
  const reader = new PlanReader()
  for (const sort of byName) await readTwoPages(page => listCategories(reader, { ...page, sort }))
  for (const sort of ['name', '-name'] as const) {
    await readTwoPages(page => listCategories(reader, { ...page, name: 'do', sort }))
  }
  for (const status of statuses) {
    for (const sort of byQuantity) {
      await readTwoPages(page => listInventory(reader, { ...page, status, sort }))
    }
    for (const sort of ['quantity', '-quantity'] as const) {
      await readTwoPages(page => listInventory(reader, { ...page, status, quantityAtMost: 5n, sort }))
    }
  }
  await readOrderLists(reader, {})
  for (const sort of ['id', '-id'] as const) {
    await readTwoPages(page => listMovements(reader, { ...page, petId: 1n, sort }))
  }
  expect(reader.costly).toEqual([])
})

/** Reads every list of orders that the contract allows, with these filters in addition. Returns the number of lists. */
async function readOrderLists(reader: Reader, filters: { reference?: string }): Promise<number> {
  const periods = [
    { shipDateAfter: '2026-01-01T00:00:00Z' },
    { shipDateBefore: '2027-01-01T00:00:00Z' },
    { shipDateAfter: '2026-01-01T00:00:00Z', shipDateBefore: '2027-01-01T00:00:00Z' },
  ]
  let lists = 0
  for (const petId of [undefined, [1n], [1n, 2n, 3n]] as const) {
    for (const complete of [undefined, true, false] as const) {
      for (const sort of byShipDate) {
        await readTwoPages(page => listOrders(reader, { ...page, ...filters, petId, complete, sort }))
        lists++
      }
      for (const period of periods) {
        for (const sort of ['shipDate', '-shipDate'] as const) {
          await readTwoPages(page =>
            listOrders(reader, { ...page, ...filters, ...period, petId, complete, sort }),
          )
          lists++
        }
      }
    }
  }
  return lists
}

test('every list of the orders with one reference is read from an index over the reference', async () => {
  const reader = new PlanReader()
  const lists = await readOrderLists(reader, { reference: 'R-2026-0042' })
  expect(reader.costly).toEqual([])
  const byReference = /^SEARCH orders USING INDEX orders_by_reference(_ship_date)? \(reference=\?/
  expect(reader.details.filter(detail => !byReference.test(detail))).toEqual([])
  expect(reader.details).toHaveLength(2 * lists)
})

test('a list of pets or inventory items with a filter by id reads only the rows of these ids', async () => {
  const reader = new PlanReader()
  const ids = Array.from({ length: 100 }, (_, index) => BigInt(index + 1))
  for (const status of statuses) {
    for (const categoryId of categories) {
      for (const sort of byName) {
        await readTwoPages(page => listPets(reader, { ...page, id: ids, status, categoryId, sort }))
      }
    }
    for (const sort of byQuantity) {
      await readTwoPages(page => listInventory(reader, { ...page, petId: ids, status, sort }))
    }
  }
  const reads = reader.details.filter(detail => !detail.includes('TEMP B-TREE'))
  expect(new Set(reads)).toEqual(new Set(['SEARCH pet USING INTEGER PRIMARY KEY (rowid=?)']))
})

/** Returns the plan steps that read rows of a table, except the steps that find the rows by id. */
function rowReads({ details }: PlanReader): string[] {
  return details.filter(detail =>
    /^(SCAN|SEARCH) (pet|orders)\b(?!.* USING (COVERING|INTEGER PRIMARY))/.test(detail),
  )
}

test('a list that merges several scans reads the keys from indexes, and only the rows of its page', async () => {
  const reader = new PlanReader()
  const [, , several] = categories
  for (const status of statuses) {
    for (const sort of byName)
      await readTwoPages(page => listPets(reader, { ...page, status, categoryId: several, sort }))
  }
  await readTwoPages(page => listPets(reader, { ...page, categoryId: several, name: 'bis' }))
  for (const sort of byQuantity) {
    await readTwoPages(page => listInventory(reader, { ...page, status: ['available', 'pending'], sort }))
  }
  for (const sort of byShipDate)
    await readTwoPages(page => listOrders(reader, { ...page, petId: [1n, 2n, 3n], sort }))
  expect(rowReads(reader)).toEqual([])
  // A merge without a sort stops reading when the page is full.
  expect(reader.details).toContain('MERGE (UNION ALL)')
  expect(reader.costly).toEqual([])
})

test('control: a merged list whose scans read rows, or must be sorted, is detected', async () => {
  const reader = new PlanReader('DROP INDEX pet_by_category_sort_key')
  await listPets(reader, { limit: 1, categoryId: categories[2], sort: 'name' })
  expect(rowReads(reader)).not.toEqual([])
  const names = ['pet_by_category_sort_key', 'pet_by_status_sort_key', 'pet_by_sort_key']
  const sorting = new PlanReader(names.map(name => `DROP INDEX ${name}`).join(';'))
  await listPets(sorting, { limit: 1, categoryId: categories[2], sort: 'name' })
  expect(sorting.costly).not.toEqual([])
})

test('control: a list of the orders with one reference is detected if its indexes are missing', async () => {
  const reader = new PlanReader('DROP INDEX orders_by_reference; DROP INDEX orders_by_reference_ship_date')
  await listOrders(reader, { limit: 1, reference: 'R-2026-0042' })
  expect(reader.details.join()).not.toContain('reference')
})

test('control: a list whose index is missing is detected', async () => {
  const reader = new PlanReader('DROP INDEX pet_by_status_sort_key; DROP INDEX pet_by_sort_key')
  await listPets(reader, { limit: 1, sort: 'name' })
  expect(reader.costly).not.toEqual([])
})

test('the events of a pet are found in their index, in both directions', async () => {
  const details: string[] = []
  const database = new Database(':memory:', { safeIntegers: true })
  database.run(sqliteMigrations.scripts.join('\n'))
  database.run("UPDATE chain_end SET position = 5000 WHERE name = 'head'")
  const read = <Row, Name extends string>(
    statement: Statement<Row, Name>,
    parameters: ParametersOf<Name>,
  ): Row[] => {
    const text = statement.text.replaceAll('$', '?')
    const values = valuesOf(statement, parameters)
    const plan = database.query<PlanStep, Value[]>(`EXPLAIN QUERY PLAN ${text}`).all(...values)
    if (/\bpet_id =/.test(text)) details.push(plan.map(({ detail }) => detail).join('\n'))
    return database.query<Row, Value[]>(text).all(...values)
  }
  const reader: Reader = {
    one: (statement, ...parameters) => read(statement, parameters)[0],
    many: (statement, ...parameters) => read(statement, parameters),
  }
  await listAudit(reader, { petId: 3n })
  await listAudit(reader, { subject: 'inventory/3', keyId: 1n })
  await readEventPage(reader, 0n, { types: ['petstore.pet.created'], petId: 3n }, 20)
  expect(details.length).toBe(6)
  for (const detail of details) {
    expect(detail).toMatch(
      /^SEARCH event USING (COVERING )?INDEX event_by_pet \(pet_id=\? AND position>\? AND position<\?\)$/,
    )
  }
})
