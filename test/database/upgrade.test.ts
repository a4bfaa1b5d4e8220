import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SQL } from 'bun'
import { UnsupportedVersion } from '../../src/database/migrate.ts'
import { postgresMigrations, sqliteMigrations } from '../../src/database/migrations/migrations.ts'
import { parseDatabaseUrl } from '../../src/database/postgres/database-url.ts'
import { migratePostgres } from '../../src/database/postgres/migrations.ts'
import { SqliteConnection } from '../../src/database/sqlite/connection.ts'
import { databaseFile } from '../../src/database/sqlite/database-file.ts'
import { migrateSqlite } from '../../src/database/sqlite/engine.ts'
import { openSqliteSource } from '../../src/transfer/sqlite-copy.ts'
import type { EngineName } from '../support/engines.ts'
import { run } from '../support/process.ts'
import { waitForPositions } from '../support/received-events.ts'
import { onEveryEngine, type RawRow } from '../support/store.ts'
import { newStoreDirectory, type StoreDirectory } from '../support/store-directory.ts'

const LIMIT_MS = 120_000

/** Runs a script of several statements on the database of a place. */
async function runScript({ directory, env }: StoreDirectory, script: string): Promise<void> {
  if (env.DATABASE_URL === undefined) {
    using database = new Database(databaseFile(directory), { create: true })
    database.run(script)
    return
  }
  await using pool = new SQL({ url: env.DATABASE_URL, max: 1 })
  await pool.unsafe(script)
}

/** Returns a place with a store that commit 677f627 made. */
async function newOldStore(engine: EngineName): Promise<StoreDirectory> {
  const place = await newStoreDirectory(engine)
  await runScript(place, readFileSync(join(import.meta.dir, `677f627-${engine}.sql`), 'utf8'))
  const keyFile = place.env.PETSTORE_SECRET_KEY_FILE ?? join(place.directory, 'secret-key')
  writeFileSync(keyFile, `${Buffer.alloc(32, 7).toString('base64')}\n`, { mode: 0o600 })
  return place
}

/** Runs the missing scripts, and nothing else that a start of the store does. */
async function upgrade({ directory, env }: StoreDirectory): Promise<void> {
  if (env.DATABASE_URL !== undefined) {
    for (const host of parseDatabaseUrl(env.DATABASE_URL).hosts) await migratePostgres(host)
    return
  }
  const connection = new SqliteConnection(databaseFile(directory), { readonly: false })
  await migrateSqlite(connection)
  connection.close()
}

/** Returns the row of an event that has no position yet, as the migration writes it. */
function batchRow(row: RawRow, index: number, engine: EngineName): RawRow {
  const text = (value: unknown): string => JSON.stringify(value === null ? null : String(value))
  const members = [
    ['id', text(row.id)],
    ['type', text(row.type)],
    ['subject', text(row.subject)],
    ['subjectVersion', text(row.subject_version)],
    ['data', text(row.data)],
    ['keyId', text(row.key_id)],
    ['requestId', text(row.request_id)],
    ['at', text(row.at)],
    ['traceparent', 'null'],
    ['petId', text(row.pet_id)],
  ]
  const [colon, comma] = engine === 'postgres' ? [' : ', ', '] : [':', ',']
  const events = `[{${members.map(([name, value]) => `"${name}"${colon}${value}`).join(comma)}}]`
  const totals = String(row.totals).includes('orders/placed') ? '{ "orders/open" : 1 }' : row.totals
  return { id: BigInt(index + 1), events, totals: totals ?? null }
}

async function succeed(place: StoreDirectory, ...args: string[]): Promise<void> {
  const { exitCode, output, errors } = await run([...args, '--data', place.directory], place.env)
  expect([exitCode, exitCode === 0 ? '' : output + errors]).toEqual([0, ''])
}

/** The tables of SQLite and their indexes, as the statements that create them. */
const SQLITE_SCHEMA = `SELECT type || ' ' || name || ': ' || sql AS line FROM sqlite_master WHERE sql IS NOT NULL`
// Constraints that only say NOT NULL are left out: PostgreSQL names them since version 18, and no statement needs them.
const POSTGRES_SCHEMA = `
  SELECT 'table ' || c.relname || ': ' || string_agg(a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
    || coalesce(' ' || co.collname, '') || CASE WHEN a.attnotnull THEN ' not null' ELSE '' END
    || coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), ''), ', ' ORDER BY a.attnum) AS line
  FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
  LEFT JOIN pg_collation co ON co.oid = a.attcollation
  LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
  WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace GROUP BY c.relname
  UNION ALL SELECT 'constraint ' || conname || ' of ' || conrelid::regclass || ': ' || pg_get_constraintdef(oid)
  FROM pg_constraint WHERE contype <> 'n' AND connamespace = current_schema()::regnamespace
  UNION ALL SELECT 'index ' || indexname || ': ' || indexdef FROM pg_indexes WHERE schemaname = current_schema()`
/** The rows that every store has. */
const ROW_NAMES = `
  SELECT 'counter ' || noun AS line FROM counter UNION ALL SELECT 'end ' || name FROM chain_end
  UNION ALL SELECT 'total ' || name FROM total WHERE name LIKE 'units/%' OR name = 'orders/open'`

/** The sort keys of the pets in the store of 677f627. */
const sortKeys: Readonly<Record<string, string>> = {
  Tom: 'tom',
  'Rex "the" Dög': 'rex "the" dog\u0001rex "the" dög',
}

/** Returns the definitions of the tables, constraints and indexes of a database, and the names of some of its rows. */
async function schemaOf({ database, env }: StoreDirectory): Promise<string[]> {
  const rows = [
    ...(await database(env.DATABASE_URL === undefined ? SQLITE_SCHEMA : POSTGRES_SCHEMA)),
    ...(await database(ROW_NAMES)),
  ]
  // SQLite keeps the text of a statement as it was written, with its comments.
  const plain = (text: string): string =>
    text
      .replaceAll(/--.*|["\s]+/g, ' ')
      .replaceAll(/ *([(),]) */g, '$1')
      .replaceAll(/ +/g, ' ')
  return rows.map(({ line }) => plain(String(line))).sort()
}

async function rowsOf({ database, env }: StoreDirectory): Promise<Record<string, RawRow[]>> {
  const names = await database(
    env.DATABASE_URL === undefined
      ? `SELECT name FROM sqlite_master WHERE type = 'table'`
      : `SELECT relname AS name FROM pg_class
         WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace AND relname <> 'migration'`,
  )
  const tables: Record<string, RawRow[]> = {}
  for (const { name } of names) tables[String(name)] = await database(`SELECT * FROM ${name} ORDER BY 1, 2`)
  return tables
}

onEveryEngine(engine => {
  const known = engine === 'sqlite' ? sqliteMigrations : postgresMigrations

  test('a store of 677f627 has the tables, constraints and indexes of a new store after its upgrade', async () => {
    await using old = await newOldStore(engine)
    await using fresh = await newStoreDirectory(engine)
    for (const place of [old, fresh]) await upgrade(place)
    const schema = await schemaOf(fresh)
    expect(schema.length).toBeGreaterThan(40)
    expect(await schemaOf(old)).toEqual(schema)
  })

  test.each([
    ['index', /CREATE INDEX orders_by_reference .*;/, 'orders_by_reference'],
    ['condition of an index', ` WHERE state <> 'pending'`, 'delivery_by_age'],
    ['check', '  CHECK (on_hold = 0 OR quantity > 0),\n', 'pet_check|table pet'],
    ['default', ' DEFAULT 1', 'api_key'],
    ['row', `, ('webhook', 0)`, 'counter webhook'],
  ])('control: a new store that lacks a %s is detected', async (_, missing, subject) => {
    await using old = await newOldStore(engine)
    await runScript(old, known.scripts.join('\n'))
    await using fresh = await newStoreDirectory(engine)
    await runScript(fresh, known.all.join('\n').replace(missing, ''))
    const schema = await schemaOf(fresh)
    const lost = (await schemaOf(old)).filter(line => !schema.includes(line) && !/\bmigration/.test(line))
    expect(lost).not.toEqual([])
    for (const line of lost) expect(line).toMatch(new RegExp(subject))
  })

  test(
    'a store of 677f627 keeps every row, is intact, and is used as before',
    async () => {
      await using old = await newOldStore(engine)
      const before = await rowsOf(old)
      for (const [table, rows] of Object.entries(before)) expect([table, rows.length]).not.toEqual([table, 0])
      await upgrade(old)
      const added = { last_failure_at: null, failing_ms: null }
      const { webhook = [], event = [], pet = [], total = [], category = [], staged_row = [] } = before
      // Orders are counted by quarter-hours, also those whose events have no position yet.
      const isWaiting = ({ position }: { position?: unknown }) => position === null
      const waitingOrders = event.filter(({ totals }) => String(totals).includes('orders/placed')).length
      expect(await rowsOf(old)).toEqual({
        ...before,
        webhook: webhook.map(row => ({ ...row, ...added })),
        event: event
          .filter(row => !isWaiting(row))
          .map(({ totals: _, ...row }) => ({ ...row, traceparent: null })),
        event_batch: event.filter(isWaiting).map((row, index) => batchRow(row, index, engine)),
        pet: pet.map(row => ({ ...row, reorder_at: null, sort_key: sortKeys[String(row.name)] })),
        staged_row: staged_row.map(row => ({ ...row, reorder_at: null })),
        total: total.map(row =>
          row.name === 'orders/placed/2026-11-26'
            ? { name: `${row.name}T02:45`, value: BigInt(Number(row.value) + waitingOrders) }
            : row,
        ),
        category: category.map(row => ({ ...row, sort_key: row.name_key })),
        pet_word: ['dog 2', 'rex 2', 'the 2', 'tom 1'].map(entry => {
          const [word, id] = entry.split(' ')
          return { word, pet_id: BigInt(id ?? 0) }
        }),
      })
      await succeed(old, 'doctor')
      {
        // No delivery leaves the machine: the webhooks of the store have private addresses.
        const env = {
          ...old.env,
          PETSTORE_ALLOW_PRIVATE_WEBHOOKS: 'false',
          PETSTORE_EVENT_RETENTION: 'forever',
        }
        await using server = await old.startWith(env)
        const client = old.client(server)
        const { data: order } = await client.placeOrder({ body: { petId: 1n, reference: 'R-1' } })
        const { data: orders } = await client.listOrders({ reference: 'R-1' })
        expect(orders.items.map(({ id }) => id)).toEqual([1n, order.id])
        await waitForPositions(old)
        const { data: events } = await client.listEvents({ petId: 1n })
        expect(events.items.at(-1)).toMatchObject({ subject: `orders/${order.id}` })
        expect(events.items).toHaveLength(
          (before.event ?? []).filter(row => Number(row.pet_id) === 1).length + 2,
        )
        await server.kill('SIGTERM')
      }
      await succeed(old, 'doctor')
      await succeed(old, 'audit', 'verify')
    },
    LIMIT_MS,
  )

  test(
    'only a start and "petstore migrate" migrate a store of 677f627: every other command refuses it',
    async () => {
      await using old = await newOldStore(engine)
      const before = [await schemaOf(old), await rowsOf(old)]
      const csv = join(old.directory, 'categories.csv')
      writeFileSync(csv, 'name\nOtters\n')
      const target = join(old.directory, 'target')
      for (const words of [
        ['keys', 'list'],
        ['keys', 'create', '--name', 'till', '--scope', 'orders:read'],
        ['keys', 'revoke', '1'],
        ['keys', 'reset-admin'],
        ['import', '--categories', csv, '--dry-run'],
        ['import', '--categories', csv],
        ['export', 'pets'],
        ['reset', '--empty', '--yes'],
        ...(engine === 'postgres' ? [['backup', '--to', target]] : []),
      ]) {
        const { exitCode, output, errors } = await run([...words, '--data', old.directory], old.env)
        expect([words.join(' '), exitCode, output, errors]).toEqual([
          words.join(' '),
          1,
          '',
          expect.stringContaining('run "petstore migrate", or start the store once.'),
        ])
        if (words[0] === 'backup') expect(errors).toContain('use the petstore that wrote it, or pg_dump.')
      }
      expect([await schemaOf(old), await rowsOf(old)]).toEqual(before)
      await succeed(old, 'migrate')
      await succeed(old, 'keys', 'list')
    },
    LIMIT_MS,
  )

  test(
    'a store of a version before 677f627 is refused by every command, and is not changed',
    async () => {
      await using old = await newOldStore(engine)
      await old.database(
        engine === 'sqlite'
          ? 'PRAGMA user_version = 9'
          : 'DELETE FROM migration WHERE version > 9 RETURNING 1',
      )
      const before = [await schemaOf(old), await rowsOf(old)]
      const commands = [
        ['serve', '--port', '0'],
        ['migrate'],
        ['migrate', '--check'],
        ['doctor'],
        ['audit', 'verify'],
      ]
      const target = join(old.directory, 'target')
      const place = old.env.DATABASE_URL ?? old.directory
      for (const args of [
        ...commands.map(words => [...words, '--data', old.directory]),
        ['backup', '--to', target, '--data', old.directory],
        ['copy', '--from', place, '--to', target],
        ['export', 'pets', '--data', old.directory],
        ['reset', '--empty', '--yes', '--data', old.directory],
      ]) {
        const { exitCode, output, errors } = await run(args, old.env)
        expect([args[0], exitCode, output + errors]).toEqual([
          args[0],
          1,
          expect.stringContaining('Use the petstore of commit 677f627 first'),
        ])
      }
      expect([await schemaOf(old), await rowsOf(old)]).toEqual(before)
    },
    LIMIT_MS,
  )
})

test('a command that only reads refuses a store of a newer program, and one that must be migrated first', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'petstore-versions-'))
  const connection = new SqliteConnection(databaseFile(directory), { readonly: false })
  const errorAt = (version: number): unknown => {
    connection.database.run(`PRAGMA user_version = ${version}`)
    try {
      void openSqliteSource(directory)
    } catch (error) {
      return error
    }
    return undefined
  }
  expect(errorAt(sqliteMigrations.version + 1)).toBeInstanceOf(UnsupportedVersion)
  expect(String(errorAt(sqliteMigrations.version - 1))).toContain(
    'run "petstore migrate", or start the store once.',
  )
  connection.close()
  rmSync(directory, { recursive: true })
})
