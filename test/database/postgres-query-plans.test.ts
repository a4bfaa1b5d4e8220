import { expect, test } from 'bun:test'
import type { Reader } from '../../src/database/engine.ts'
import type { ParametersOf, Statement } from '../../src/database/statement.ts'
import { executeQuery } from '../../src/shop/registry/run.ts'
import { testedEngines } from '../support/engines.ts'
import { seeded } from '../support/seeded.ts'
import { openTestStore, type TestStore } from '../support/store.ts'
import { randomListPath } from './list-queries.ts'

const PETS = 30_000
const REQUESTS = 150

/** A reader that runs each list on PostgreSQL, and records plans that scan the whole table of pets or orders. */
class ExplainingReader implements Reader {
  readonly #reading: Reader
  readonly #costly: string[]

  constructor(reader: Reader, costly: string[]) {
    this.#reading = reader
    this.#costly = costly
  }

  one<Row, Name extends string>(
    statement: Statement<Row, Name>,
    ...parameters: ParametersOf<Name>
  ): Row | undefined | Promise<Row | undefined> {
    return this.#reading.one(statement, ...parameters)
  }

  async many<Row, Name extends string>(
    statement: Statement<Row, Name>,
    ...parameters: ParametersOf<Name>
  ): Promise<Row[]> {
    const { text, postgresText = text } = statement
    const explain: Statement<{ 'QUERY PLAN': string }, Name> = {
      text: `EXPLAIN ${postgresText}`,
      names: statement.names,
      ...(statement.values && { values: statement.values }),
      writes: false,
    }
    const plan = (await this.#reading.many(explain, ...parameters)).map(row => row['QUERY PLAN']).join('\n')
    if (/Seq Scan on (pet|pet_word|orders)\b/.test(plan)) this.#costly.push(`${plan}\n${postgresText}`)
    return this.#reading.many(statement, ...parameters)
  }
}

async function insertRows({ database }: TestStore): Promise<void> {
  const at = '2026-11-21T09:30:00.000Z'
  await database(`INSERT INTO pet (id, name, name_key, sort_key, category_id, on_hold, quantity, reserved, status,
      version, created_at, updated_at)
    SELECT n, 'pet ' || n, 'pet ' || n, 'pet ' || n, n % 100 + 1, 0,
       n % 3, 0, CASE n % 3 WHEN 0 THEN 'sold' ELSE 'available' END,
      1, '${at}', '${at}' FROM generate_series(1, ${PETS}) AS n`)
  await database(
    `INSERT INTO pet_word (word, pet_id) SELECT 'pet', id FROM pet UNION ALL SELECT id::text, id FROM pet`,
  )
  await database(`INSERT INTO orders (id, pet_id, quantity, ship_date, complete, receipt, reference, version,
      created_at, updated_at)
    SELECT n, n % 1000 + 1, 1, CASE n % 2 WHEN 0 THEN '${at}' END, n % 5 / 4, CASE n % 5 WHEN 4 THEN n END,
      CASE n % 3 WHEN 0 THEN 'R-' || n % 500 END, 1, '${at}', '${at}'
    FROM generate_series(1, ${PETS}) AS n`)
  await database('ANALYZE')
}

/** Runs random lists, and returns those plans that scan a whole table. `change` is SQL that is run before the lists. */
async function costlyPlans(change?: string): Promise<string[]> {
  const costly: string[] = []
  await using store = await openTestStore('postgres', {
    executeQuery: (reader, query) => executeQuery(new ExplainingReader(reader, costly), query),
  })
  await insertRows(store)
  if (change !== undefined) await store.database(change)
  const random = seeded(7)
  for (let sent = 0; sent < REQUESTS; sent++) {
    const path = randomListPath(random)
    if (path.startsWith('/pets') || path.startsWith('/store'))
      await (await store.send('GET', path)).arrayBuffer()
  }
  return costly
}

test.skipIf(!testedEngines.includes('postgres'))(
  'PostgreSQL reads no random list by scanning the whole table of pets or orders',
  async () => {
    expect(await costlyPlans()).toEqual([])
  },
  120_000,
)

test.skipIf(!testedEngines.includes('postgres'))(
  'control: a list whose index is missing on PostgreSQL is detected',
  async () => {
    expect(
      await costlyPlans('DROP INDEX pet_by_category, pet_by_category_name, pet_by_category_sort_key'),
    ).not.toEqual([])
  },
  120_000,
)
