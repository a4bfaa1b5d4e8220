import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import type { Reader } from '../../src/engine/engine.ts'
import { migrations } from '../../src/engine/sqlite.ts'
import { type ParametersOf, type Statement, type Value, valuesOf } from '../../src/engine/statement.ts'
import { listAudit } from '../../src/shop/audit.ts'
import { listCategories } from '../../src/shop/categories.ts'
import { readEventPage } from '../../src/shop/events.ts'
import { listInventory, listMovements } from '../../src/shop/inventory.ts'
import { listOrders } from '../../src/shop/orders.ts'
import { listPets } from '../../src/shop/pets.ts'

interface PlanStep {
  readonly id: number
  readonly parent: number
  readonly detail: string
}

/** A reader that asks SQLite for the plans of the statements of a list, and does not run the statements. */
class PlanReader implements Reader {
  /** The plan steps that can read more rows than a page, or that sort them. */
  readonly costly: string[] = []
  /** All plan steps. */
  readonly details: string[] = []
  statements = 0
  readonly #database: Database

  constructor(extra = '') {
    this.#database = new Database(':memory:')
    this.#database.run(migrations.join('\n'))
    if (extra) this.#database.run(extra)
  }

  one<Row>(): Row | undefined {
    return undefined
  }

  many<Row, Name extends string>(statement: Statement<Row, Name>, ...parameters: ParametersOf<Name>): Row[] {
    const { text } = statement
    const plan = this.#database.query<PlanStep, Value[]>(`EXPLAIN QUERY PLAN ${text.replaceAll('$', '?')}`)
    const steps = plan.all(...valuesOf(statement, parameters))
    this.statements++
    for (const { parent, detail } of steps) {
      this.details.push(detail)
      // Without a filter, a scan of the whole table in key order stops after a page.
      const filteredScan = /^SCAN (pet|category|orders|movement)$/.test(detail) && text.includes('WHERE')
      // The merge sorts the few rows that each bounded scan returns; the rows of a scan itself must already be sorted.
      const place = steps.find(({ id }) => id === parent)?.detail ?? 'whole statement'
      const sort = detail.includes('TEMP B-TREE') && /^(CO-ROUTINE|whole)/.test(place)
      if (filteredScan || sort) this.costly.push(`${detail} in ${text}`)
    }
    return []
  }
}

const firstPage = { limit: 20 }
const statuses = [undefined, ['sold'], ['available', 'pending']] as const
const categories = [undefined, [1n], Array.from({ length: 20 }, (_, index) => BigInt(index))] as const

test('every list of pets that the contract allows is read from an index', async () => {
  const reader = new PlanReader()
  let lists = 0
  for (const status of statuses) {
    for (const categoryId of categories) {
      for (const sort of ['id', '-id', 'name', '-name'] as const) {
        await listPets(reader, { ...firstPage, status, categoryId, sort })
        lists++
      }
      await listPets(reader, { ...firstPage, status, categoryId, name: 'bis' })
      await listPets(reader, { ...firstPage, status, categoryId, name: 'bis', sort: '-name' })
      lists += 2
    }
  }
  expect(lists).toBe(54)
  expect(reader.costly).toEqual([])
})

test('every list of categories, stocks, orders and movements is read from an index', async () => {
  const reader = new PlanReader()
  for (const sort of ['id', '-id', 'name', '-name'] as const)
    await listCategories(reader, { ...firstPage, sort })
  await listCategories(reader, { ...firstPage, name: 'do' })
  for (const status of statuses) {
    for (const sort of ['id', '-id', 'quantity', '-quantity'] as const) {
      await listInventory(reader, { ...firstPage, status, sort })
    }
    await listInventory(reader, { ...firstPage, status, quantityAtMost: 5n })
  }
  for (const petId of [undefined, [1n], [1n, 2n, 3n]] as const) {
    for (const complete of [undefined, true, false] as const) {
      for (const sort of ['id', '-id', 'shipDate', '-shipDate'] as const) {
        await listOrders(reader, { ...firstPage, petId, complete, sort })
      }
      await listOrders(reader, { ...firstPage, petId, complete, shipDateAfter: '2026-01-01T00:00:00Z' })
    }
  }
  await listMovements(reader, { ...firstPage, petId: 1n }).catch(() => {})
  expect(reader.statements).toBeGreaterThan(60)
  expect(reader.costly).toEqual([])
})

test('every list of the orders with one reference is read from an index over the reference', async () => {
  const reader = new PlanReader()
  const reference = 'R-2026-0042'
  for (const petId of [undefined, [1n], [1n, 2n, 3n]] as const) {
    for (const complete of [undefined, true, false] as const) {
      for (const sort of ['id', '-id', 'shipDate', '-shipDate'] as const) {
        await listOrders(reader, { ...firstPage, reference, petId, complete, sort })
      }
      await listOrders(reader, {
        ...firstPage,
        reference,
        petId,
        complete,
        shipDateAfter: '2026-01-01T00:00:00Z',
      })
    }
  }
  expect([reader.statements, reader.costly]).toEqual([45, []])
  const byReference = /^SEARCH orders USING INDEX orders_by_reference(_ship_date)? \(reference=\?/
  expect(reader.details.filter(detail => !byReference.test(detail))).toEqual([])
  expect(reader.details).toHaveLength(45)
})

test('control: a list of a reference whose index is missing is detected', async () => {
  const reader = new PlanReader('DROP INDEX orders_by_reference; DROP INDEX orders_by_reference_ship_date')
  await listOrders(reader, { ...firstPage, reference: 'R-2026-0042' })
  expect(reader.details.join()).not.toContain('reference')
})

test('control: a list whose index is missing is detected', async () => {
  const reader = new PlanReader('DROP INDEX pet_by_category_name; DROP INDEX pet_by_name')
  await listPets(reader, { ...firstPage, sort: 'name' })
  expect(reader.costly).not.toEqual([])
})

test('the events of a pet are found in their index, in both directions', async () => {
  const details: string[] = []
  const database = new Database(':memory:', { safeIntegers: true })
  database.run(migrations.join('\n'))
  database.run("UPDATE chain_end SET position = 5000 WHERE name = 'head'")
  const reader: Reader = {
    one: () => undefined,
    many<Row, Name extends string>(
      statement: Statement<Row, Name>,
      ...parameters: ParametersOf<Name>
    ): Row[] {
      const text = statement.text.replaceAll('$', '?')
      const values = valuesOf(statement, parameters)
      const plan = database.query<PlanStep, Value[]>(`EXPLAIN QUERY PLAN ${text}`).all(...values)
      if (/\bpet_id =/.test(text)) details.push(plan.map(({ detail }) => detail).join('\n'))
      return database.query<Row, Value[]>(text).all(...values)
    },
  }
  await listAudit(reader, { petId: 3n })
  await listAudit(reader, { subject: 'inventory/3', keyId: 1n })
  await readEventPage(reader, 0n, { types: ['petstore.pet.created'], petId: 3n }, 20)
  expect(details.length).toBe(6)
  const index =
    'event USING (COVERING )?INDEX event_by_pet \\(<expr>=\\? AND pet_id=\\? AND position>\\? AND position<\\?\\)'
  for (const detail of details) expect(detail).toMatch(new RegExp(index))
})
