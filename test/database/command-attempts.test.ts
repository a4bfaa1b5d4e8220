import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Tx } from '../../src/database/engine.ts'
import { dynamicSql, sql } from '../../src/database/statement.ts'
import { executeCommand } from '../../src/shop/registry/run.ts'
import { testedEngines } from '../support/engines.ts'
import { serverError } from '../support/postgres-error.ts'
import { type CommitFate, openPostgresProxy, type PostgresProxy } from '../support/postgres-proxy.ts'
import { newDatabase } from '../support/postgres-server.ts'
import { makePet } from '../support/shop.ts'
import { codeOf, openTestStore, refusalOf, type TestStore } from '../support/store.ts'

/** The work of the next attempts of `createCategory`, in order; the attempts after them run the command. */
let attempts: ((tx: Tx) => Promise<void>)[] = []
let count = 0
/** Work at the end of each `createCategory`. */
let afterwards: ((tx: Tx) => Promise<void>) | undefined
let store: TestStore
let proxy: PostgresProxy

const failing = (state: string) => async (): Promise<void> => {
  throw serverError(state)
}
const insertPet = sql()(`
  INSERT INTO pet (id, name, name_key, category_id, on_hold, quantity, reserved, status, version,
    created_at, updated_at)
  VALUES (1, 'Twin', 'twin', 1, 0, 0, 0, 'sold', 1, '', '')`)

/** Creates a category whose first attempts do this work. Returns its status or refusal, and the number of attempts. */
async function create(work: (tx: Tx) => Promise<void>, times = 1): Promise<[string, number]> {
  attempts = Array.from({ length: times }, () => work)
  count = 0
  const result = await store.client.createCategory({ body: { name: crypto.randomUUID() } }).then(
    ({ status }) => String(status),
    error => `${error.status} ${error.code}`,
  )
  attempts = []
  return [result, count]
}

describe.skipIf(!testedEngines.includes('postgres'))('the attempts of a command on PostgreSQL', () => {
  beforeAll(async () => {
    proxy = await openPostgresProxy(await newDatabase())
    store = await openTestStore('postgres', {
      routeOf: url => proxy.urlOf(url),
      executeCommand: async (tx, command) => {
        if (command.id === 'createCategory') {
          count++
          await attempts.shift()?.(tx)
        }
        const result = await executeCommand(tx, command)
        if (command.id === 'createCategory') await afterwards?.(tx)
        return result
      },
    })
    await makePet(store.client)
  })
  afterAll(async () => {
    await store?.[Symbol.asyncDispose]()
    await proxy?.[Symbol.asyncDispose]()
  })

  test.each([
    ['40001', 'a conflict'],
    ['40P01', 'a deadlock'],
    ['55P03', 'a row that stays locked for a moment'],
    ['57P01', 'a server that restarts'],
    ['25006', 'a server that has become a standby'],
    ['53200', 'a server without memory'],
  ])('after %s (%s), the command runs again and succeeds', async state => {
    expect(await create(failing(state))).toEqual(['201', 2])
  })

  test.each([
    ['53100', '503 storage_full'],
    ['57014', '503 overloaded'],
    ['42501', '503 overloaded'],
    ['XX001', '503 overloaded'],
  ])('after %s, which would only happen again, the command is refused at once', async (state, refusal) => {
    expect(await create(failing(state))).toEqual([refusal, 1])
  })

  test('a command whose pipelined write fails is not committed, although its other statements succeed', async () => {
    afterwards = async tx => tx.write(insertPet)
    const code = await codeOf(store.client.createCategory({ body: { name: 'Not stored' } }))
    afterwards = undefined
    expect(code).toStartWith('500')
    const rows = await store.database("SELECT id FROM category WHERE name = 'Not stored'")
    expect(rows).toEqual([])
  })

  test('after a conflict with a statement, while rows of the command wait, the command runs again', async () => {
    const raise = dynamicSql(() => "DO $$ BEGIN RAISE SQLSTATE '40001'; END $$")
    const work = async (tx: Tx): Promise<void> => {
      const conflict = tx.run(raise)
      tx.write(insertPet)
      await conflict
    }
    expect(await create(work)).toEqual(['201', 2])
  })

  test('a command whose COMMIT was lost, and which is refused when it runs again, had no effect', async () => {
    const fates: CommitFate[] = ['lose-request']
    proxy.onCommit(() => fates.pop() ?? 'pass')
    attempts = [async () => {}, failing('53100')]
    const refusal = await refusalOf(store.client.createCategory({ body: { name: 'Lost' } }))
    proxy.onCommit(() => 'pass')
    expect(refusal.code).toBe('storage_full')
    expect(await store.database("SELECT id FROM category WHERE name = 'Lost'")).toEqual([])
  })

  test('a command whose repeats never reach their COMMIT has no effect, and is not said to have one', async () => {
    const fates: CommitFate[] = ['lose-request']
    proxy.onCommit(() => fates.pop() ?? 'pass')
    attempts = [async () => {}, ...Array.from({ length: 1000 }, () => failing('57P01'))]
    const refusal = await refusalOf(store.client.createCategory({ body: { name: 'Never' } }))
    proxy.onCommit(() => 'pass')
    attempts = []
    expect(refusal.message).toContain('does not respond')
    expect(await store.database("SELECT id FROM category WHERE name = 'Never'")).toEqual([])
  }, 20_000)

  test('a commit without a response is confirmed by a second one, which waits for a synchronous standby', async () => {
    const fates: CommitFate[] = ['lose-response']
    proxy.onCommit(() => fates.pop() ?? 'pass')
    const { status } = await store.client.createCategory({ body: { name: 'Confirmed' } })
    proxy.onCommit(() => 'pass')
    expect(status).toBe(201)
    expect(
      [...proxy.statements].filter(text => text.startsWith('UPDATE execution SET at = at')),
    ).toHaveLength(1)
  })

  test('the server ends the session of a process that freezes in a transaction, and releases its locks', async () => {
    const lockCategory = dynamicSql(() => 'UPDATE category SET version = version WHERE id = 1')
    const locked = Promise.withResolvers<void>()
    let isFrozen = true
    const frozen = create(async tx => {
      await tx.run(lockCategory)
      locked.resolve()
      await Bun.sleep(4500)
      isFrozen = false
    })
    await locked.promise
    await store.client.updateCategory({ categoryId: 1n, body: { description: 'Changed' } })
    expect(isFrozen).toBeTrue()
    expect(await frozen).toEqual(['201', 2])
  }, 20_000)
})
