import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { StoreError } from '../../src/contract/error.ts'
import { storageFull } from '../../src/contract/refusals.ts'
import type { Tx } from '../../src/database/engine.ts'
import { sqliteMigrations } from '../../src/database/migrations/migrations.ts'
import { PAGE_BYTES, SqliteConnection } from '../../src/database/sqlite/connection.ts'
import { type LightEngine, openLightSqlite } from '../../src/database/sqlite/light-engine.ts'
import { sql } from '../../src/database/statement.ts'
import { TimeSlices } from '../../src/database/time-slices.ts'

type Command = (tx: Tx) => Promise<string>

const insert = sql()(`
  INSERT INTO category (id, name, name_key, description, pet_count, version, created_at, updated_at)
  VALUES ($id, $name, $name, $description, 0, 1, '', '')`)
const countRows = sql<{ n: bigint }>()('SELECT count(*) AS n FROM category')
/** Far above the size of an empty store. */
const BYTES_MAX = 2 * 1024 * 1024
/** The time within which a test ends, unless something waits for ever. */
const TEST_MS = 20_000

let directory: string
let engine: LightEngine<never, Command, never, string>
/** The times for which reads have kept the thread, as the engine reported them. */
let readMs: number[]

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'petstore-light-'))
  const file = join(directory, 'store.db')
  const connection = new SqliteConnection(file, { readonly: false })
  connection.database.transaction(() => {
    connection.database.run(sqliteMigrations.scripts.join('\n'))
    connection.database.run(`PRAGMA user_version = ${sqliteMigrations.version}`)
  })()
  connection.close()
  readMs = []
  engine = await openLight(file, BYTES_MAX)
})

function openLight(file: string, bytesMax: number): Promise<typeof engine> {
  return openLightSqlite<never, Command, never, string>({
    file,
    executeCommand: (tx, command) => command(tx),
    executeQuery: async () => {
      throw new Error('no query is sent')
    },
    bytesMax,
    refuseFull: () => new StoreError('storage_full', 'this sandbox is full'),
    slices: new TimeSlices(),
    onRead: ms => readMs.push(ms),
    checks: true,
    onFatal: reason => expect(reason).toBe(''),
  })
}

afterEach(async () => {
  await engine.close()
  rmSync(directory, { recursive: true, force: true })
})

/** Returns a command that adds a category, and then does some work. */
function adding(name: string, then: () => Promise<void> = async () => {}, description = ''): Command {
  return async tx => {
    await tx.run(insert, { id: await tx.nextId('category'), name, description })
    await then()
    return name
  }
}

async function countCategories(): Promise<bigint | undefined> {
  return (await engine.readShort(reader => reader.one(countRows)))?.n
}

test(
  'a read that comes while a command runs sees the store before or after the command, and nothing in between',
  async () => {
    const written = Promise.withResolvers<void>()
    const release = Promise.withResolvers<void>()
    const refused = engine
      .execute(
        adding('Dogs', async () => {
          written.resolve()
          await release.promise
          throw new StoreError('category_in_use', 'refused half-way')
        }),
      )
      .catch(error => error.code)
    await written.promise
    const counted = countCategories()
    release.resolve()
    expect([await refused, await counted]).toEqual(['category_in_use', 0n])
  },
  TEST_MS,
)

test(
  'a command waits until the reads before it have ended',
  async () => {
    const reading = Promise.withResolvers<void>()
    const read = engine.readShort(async reader => {
      await reading.promise
      return reader.one(countRows)
    })
    const added = engine.execute(adding('Dogs'))
    await Bun.sleep(0)
    reading.resolve()
    expect([(await read)?.n, await added, await countCategories()]).toEqual([0n, 'Dogs', 1n])
  },
  TEST_MS,
)

test('reads that wait for the same command together report the time for which they keep the thread once', async () => {
  const startedMs = performance.now()
  const added = engine.execute(adding('Dogs'))
  const reads = Array.from({ length: 20 }, () =>
    engine.readShort(async reader => {
      for (const untilMs = performance.now() + 2; performance.now() < untilMs; );
      return reader.one(countRows)
    }),
  )
  await Promise.all([added, ...reads])
  const reportedMs = readMs.reduce((sum, ms) => sum + ms, 0)
  expect(reportedMs).toBeGreaterThanOrEqual(40)
  expect(reportedMs).toBeLessThanOrEqual(performance.now() - startedMs)
})

test('a snapshot has every command that was committed before it', async () => {
  await engine.execute(adding('Dogs'))
  const copy = join(directory, 'copy.db')
  await engine.copyTo(copy)
  const connection = new SqliteConnection(copy, { readonly: true })
  expect(connection.one(countRows)?.n).toBe(1n)
  connection.close()
})

test('each commit is reported with the number of its commands', async () => {
  const commits: number[] = []
  const stop = engine.watch(commands => commits.push(commands))
  await Promise.all(['Dogs', 'Cats', 'Birds'].map(name => engine.execute(adding(name))))
  stop()
  await engine.execute(adding('Fish'))
  expect(commits).toEqual([3])
})

test('only a store that has reached its own limit is refused as full: a full disk is another refusal', async () => {
  const messageOf = (command: Command): Promise<string> =>
    engine.execute(command).catch(error => error.message)
  const diskIsFull: Command = async () => {
    throw storageFull()
  }
  expect(await messageOf(diskIsFull)).toBe(storageFull().message)
  let message = ''
  for (let row = 0; row < 2000 && message !== 'this sandbox is full'; row++) {
    message = await messageOf(adding(`Category ${row}`, async () => {}, 'x'.repeat(4000)))
  }
  expect(message).toBe('this sandbox is full')
  expect(await messageOf(diskIsFull)).toBe('this sandbox is full')
})

test('a store that is full is opened although its migrations make it larger', async () => {
  const file = join(directory, 'empty.db')
  writeFileSync(file, '')
  const full = await openLight(file, PAGE_BYTES)
  expect(await full.readShort(reader => reader.one(countRows))).toEqual({ n: 0n })
  const large = adding('Dogs', undefined, 'x'.repeat(100_000))
  expect(await full.execute(large).catch(error => error.code)).toBe('storage_full')
  await full.close()
})
