import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SQL } from 'bun'
import { NewerDatabase } from '../../src/database/migrate.ts'
import { migrations as postgresMigrations } from '../../src/database/postgres/migrations.ts'
import { SqliteConnection } from '../../src/database/sqlite/connection.ts'
import { databaseFile } from '../../src/database/sqlite/database-file.ts'
import { migrations, openSqliteReader } from '../../src/database/sqlite/engine.ts'
import { testedEngines } from '../support/engines.ts'
import { newDatabase } from '../support/postgres-server.ts'

test('on SQLite, migration 4 keeps the ends of the hash chain and the metadata of an older database', () => {
  using database = new Database(':memory:')
  for (const script of migrations.slice(0, 3)) database.run(script)
  database.run(`UPDATE chain SET position = 9, hash = 'h9' WHERE place = 'head'`)
  database.run(`UPDATE chain SET position = 4, hash = 'h4' WHERE place = 'horizon'`)
  database.run(`INSERT INTO note (name, value) VALUES ('secret-key', 'encrypted')`)
  for (const script of migrations.slice(3)) database.run(script)
  expect(database.query('SELECT name, position, hash FROM chain_end ORDER BY name').all()).toEqual([
    { name: 'floor', position: 4, hash: 'h4' },
    { name: 'head', position: 9, hash: 'h9' },
  ])
  expect(database.query('SELECT name, value FROM metadata').all()).toEqual([
    { name: 'secret-key', value: 'encrypted' },
  ])
})

const olderOrder = `INSERT INTO orders (id, pet_id, quantity, ship_date, complete, version, created_at, updated_at)
  VALUES (7, 3, 1, NULL, 0, 1, '2026-11-21T09:30:00.120Z', '2026-11-21T09:30:00.120Z')`
const readOrder = 'SELECT id, pet_id, quantity, ship_date, complete, reference, version FROM orders'

test('on SQLite, an order of an older database gets no reference and keeps its other values', () => {
  using database = new Database(':memory:')
  for (const script of migrations.slice(0, 4)) database.run(script)
  database.run(olderOrder)
  for (const script of migrations.slice(4)) database.run(script)
  expect(database.query(readOrder).all()).toEqual([
    { id: 7, pet_id: 3, quantity: 1, ship_date: null, complete: 0, reference: null, version: 1 },
  ])
})

test.skipIf(!testedEngines.includes('postgres'))(
  'on PostgreSQL, an order of an older database gets no reference and keeps its other values',
  async () => {
    await using pool = new SQL({ url: await newDatabase(), bigint: true, max: 1 })
    for (const script of postgresMigrations.slice(0, 4)) await pool.unsafe(script)
    await pool.unsafe(olderOrder)
    for (const script of postgresMigrations.slice(4)) await pool.unsafe(script)
    expect([...(await pool.unsafe(readOrder))]).toEqual([
      { id: 7n, pet_id: 3n, quantity: 1n, ship_date: null, complete: 0n, reference: null, version: 1n },
    ])
  },
)

const columns = 'id, position, hash, type, subject, subject_version, data, request_id, at'
const events = [
  ['pets/12', '{"id":12,"name":"P","categoryId":3,"status":"available"}'],
  ['inventory/9007199254740991', '{"petId":9007199254740991,"quantity":1,"status":"available","reserved":0}'],
  ['orders/5', '{"id":5,"petId":9007199254740991,"quantity":1,"complete":false}'],
  ['categories/3', '{"id":3,"name":"pets/12"}'],
  ['webhooks/1', '{"id":1,"url":"https://till.example/?\\u0000"}'],
  ['keys/12', '{"id":12,"name":"\\"petId\\":7"}'],
] as const
const insertOldEvents = `INSERT INTO event (${columns}) VALUES ${events
  .map(
    ([subject, data], index) => `(${index + 1}, ${index + 1}, '', 't', '${subject}', 1, '${data}', 'r', 'x')`,
  )
  .join(', ')}`
const petIds = [12n, 9007199254740991n, 9007199254740991n, null, null, null]

test('on SQLite, migration 6 finds the pet of every event of an older database', () => {
  using database = new Database(':memory:', { safeIntegers: true })
  for (const script of migrations.slice(0, 5)) database.run(script)
  database.run(insertOldEvents)
  for (const script of migrations.slice(5)) database.run(script)
  expect(database.query('SELECT pet_id FROM event ORDER BY id').values().flat()).toEqual(petIds)
})

test.skipIf(!testedEngines.includes('postgres'))(
  'on PostgreSQL, migration 6 finds the pet of every event of an older database',
  async () => {
    await using postgres = new SQL({ url: await newDatabase(), bigint: true, max: 1 })
    for (const script of postgresMigrations.slice(0, 5)) await postgres.unsafe(script)
    await postgres.unsafe(insertOldEvents)
    for (const script of postgresMigrations.slice(5)) await postgres.unsafe(script)
    const rows: { pet_id: bigint | number | null }[] = await postgres.unsafe(
      'SELECT pet_id FROM event ORDER BY id',
    )
    expect(rows.map(row => row.pet_id && BigInt(row.pet_id))).toEqual(petIds)
  },
)

test('a command that only reads refuses a store of a newer program, and one that must be migrated first', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'petstore-versions-'))
  const connection = new SqliteConnection(databaseFile(directory), { readonly: false })
  const errorAt = (version: number): unknown => {
    connection.database.run(`PRAGMA user_version = ${version}`)
    try {
      openSqliteReader(directory)
    } catch (error) {
      return error
    }
    return undefined
  }
  expect(errorAt(migrations.length + 1)).toBeInstanceOf(NewerDatabase)
  expect(String(errorAt(migrations.length - 1))).toContain('start the store once to migrate it')
  connection.close()
  rmSync(directory, { recursive: true })
})
