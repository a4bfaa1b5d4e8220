import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { StoreError } from '../../src/contract/error.ts'
import { databaseFile } from '../../src/database/sqlite/database-file.ts'
import { BatchWriter } from '../../src/database/sqlite/group-commit.ts'
import { SharedReadTransaction } from '../../src/database/sqlite/shared-read-transaction.ts'
import { sql } from '../../src/database/statement.ts'
import { openFailingConnection, sqliteError } from '../support/failing-connection.ts'
import { openTestStore, type TestStore } from '../support/store.ts'

/** A time far above the time that a request waits for the lock, even on a slow machine. */
const BOUNDED_MS = 20_000

/** Takes the write lock of a store, as a backup tool would. Disposing the lock releases it. */
function takeWriteLock({ place }: TestStore, how: 'IMMEDIATE' | 'EXCLUSIVE'): Disposable {
  const backup = new Database(databaseFile(place.directory))
  // The store itself may hold the lock, because it runs commands such as a sweep when it starts.
  backup.run(`PRAGMA busy_timeout = ${BOUNDED_MS}`)
  backup.run(`BEGIN ${how}`)
  return {
    [Symbol.dispose]: () => {
      backup.run('ROLLBACK')
      backup.close()
    },
  }
}

function createCategory({ send }: TestStore, name: string): Promise<Response> {
  return send('POST', '/categories', { body: JSON.stringify({ name }) })
}

for (const how of ['IMMEDIATE', 'EXCLUSIVE'] as const) {
  test(`a write while another process holds the lock (${how}) is refused with 503, and reads continue`, async () => {
    await using store = await openTestStore('sqlite')
    await (await createCategory(store, 'Before')).text()
    {
      using _lock = takeWriteLock(store, how)
      const startedMs = performance.now()
      const writes = Array.from({ length: 300 }, (_, index) => createCategory(store, `Locked ${index}`))
      const read = await store.send('GET', '/categories/1')
      expect(read.status).toBe(200)
      expect((await store.send('GET', '/categories')).status).toBe(200)
      for (const reply of await Promise.all(writes)) {
        expect(reply.status).toBe(503)
        expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0)
        expect(await reply.json()).toMatchObject({ code: 'overloaded' })
      }
      expect(performance.now() - startedMs).toBeLessThan(BOUNDED_MS)
    }
    const after = await createCategory(store, 'After')
    expect(after.status).toBe(201)
    expect(await after.json()).toMatchObject({ id: 2 })
    expect(store.logged.filter(({ level }) => level === 'error')).toEqual([])
  }, 60_000)
}

test('a write waits for a lock that is held briefly', async () => {
  await using store = await openTestStore('sqlite')
  const lock = takeWriteLock(store, 'IMMEDIATE')
  const writing = createCategory(store, 'Patient')
  // The lock is released once the store has responded to requests that were sent after the write.
  for (let turn = 0; turn < 5; turn++) await (await store.send('GET', '/livez')).text()
  lock[Symbol.dispose]()
  expect((await writing).status).toBe(201)
}, 60_000)

const insert = sql()(`
  INSERT INTO category (id, name, name_key, description, pet_count, version, created_at, updated_at)
  VALUES ($id, 'Any', 'any', NULL, 0, 1, '', '')`)
const countRows = sql<{ n: bigint }>()('SELECT count(*) AS n FROM category')
const busy = new StoreError('overloaded', 'for the test')

for (const text of ['BEGIN IMMEDIATE', 'COMMIT']) {
  test(`only the batch fails if the database is locked at ${text}, and ids continue without a gap`, async () => {
    using opened = openFailingConnection()
    const { failing } = opened
    const writer = new BatchWriter<string, bigint>(failing, async tx => {
      const id = await tx.nextId('category')
      await tx.run(insert, { id })
      return id
    })
    expect(await writer.commit(['a'])).toEqual([{ reply: 1n }])
    failing.failures.set(text, busy)
    for (const outcome of await writer.commit(['b', 'c']))
      expect(outcome).toMatchObject({ refusal: { code: 'overloaded' } })
    failing.failures.clear()
    expect(failing.one(countRows)).toEqual({ n: 1n })
    expect(await writer.commit(['d'])).toEqual([{ reply: 2n }])
  })
}

test('only the first batch waits for a lock that stays, and the next lock is waited for again', async () => {
  using opened = openFailingConnection()
  const { connection, failing } = opened
  const writer = new BatchWriter<string, string>(failing, async (_, command) => command)
  /** The time that each batch would wait for a lock, in milliseconds. */
  const waits: bigint[] = []
  failing.onRun = text => {
    const row = connection.database.query<{ timeout: bigint }, []>('PRAGMA busy_timeout').get()
    if (text === 'BEGIN IMMEDIATE') waits.push(row?.timeout ?? -1n)
  }
  for (const isLocked of [false, true, true, true, false, false]) {
    if (isLocked) failing.failures.set('BEGIN IMMEDIATE', busy)
    else failing.failures.clear()
    await writer.commit(['a'])
  }
  expect(waits).toEqual([2000n, 2000n, 0n, 0n, 0n, 2000n])
})

/** Resolves after the current turn of the event loop. All reads of one turn share a transaction. */
const nextEventLoopTurn = (): Promise<void> => new Promise(resolve => setImmediate(resolve))

test('a read transaction whose COMMIT fails is rolled back, and the next read sees new commits', async () => {
  using opened = openFailingConnection()
  const { failing } = opened
  const fatal: string[] = []
  const reader = new SharedReadTransaction(failing, reason => fatal.push(reason))
  failing.failures.set('COMMIT', sqliteError('SQLITE_BUSY'))
  expect(reader.one(countRows)).toEqual({ n: 0n })
  await nextEventLoopTurn()
  await nextEventLoopTurn()
  expect(failing.inTransaction).toBe(false)
  failing.failures.clear()
  failing.run(insert, { id: 1n })
  expect(reader.one(countRows)).toEqual({ n: 1n })
  await nextEventLoopTurn()
  expect(fatal).toEqual([])
})

test('a read that fails with an I/O error is reported as fatal, with the reason', async () => {
  using opened = openFailingConnection()
  const { failing } = opened
  const fatal: string[] = []
  const reader = new SharedReadTransaction(failing, reason => fatal.push(reason))
  failing.failures.set(countRows.text, sqliteError('SQLITE_IOERR_READ'))
  expect(() => reader.one(countRows)).toThrow('SQLITE_IOERR_READ')
  await nextEventLoopTurn()
  expect(fatal).toEqual(['reading the database failed: for the test: SQLITE_IOERR_READ'])
})

test('a read transaction that can neither be committed nor rolled back is reported as fatal', async () => {
  using opened = openFailingConnection()
  const { failing } = opened
  const fatal: string[] = []
  const reader = new SharedReadTransaction(failing, reason => fatal.push(reason))
  for (const text of ['COMMIT', 'ROLLBACK']) failing.failures.set(text, sqliteError('SQLITE_ERROR'))
  reader.one(countRows)
  await nextEventLoopTurn()
  await nextEventLoopTurn()
  expect(fatal).toEqual(['reading the database failed: for the test: SQLITE_ERROR'])
})

test('the position of the last event is that of the transaction of the last read', () => {
  let position = 10n
  const connection = {
    inTransaction: true,
    one: () => ({ position }) as never,
    many: () => [],
    run: () => 0,
    close: () => {},
  }
  const reader = new SharedReadTransaction(connection, () => {})
  expect(reader.position()).toBe(10n)
  reader.refresh()
  position = 11n
  // This read begins the next transaction, not the call of `position`.
  reader.many(countRows)
  expect(reader.position()).toBe(11n)
})
