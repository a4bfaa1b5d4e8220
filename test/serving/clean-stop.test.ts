import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { databaseFile } from '../../src/database/sqlite/database-file.ts'
import { makeClient } from '../support/client.ts'
import { run, type ServerProcess, startProcess } from '../support/process.ts'
import { ADMIN_KEY } from '../support/store.ts'
import { testFolder } from '../support/test-folder.ts'

const CATEGORIES = 50

const directory = testFolder()

let count = 0
const newDirectory = (): string => join(directory, `data-${++count}`)

function serve(data: string): Promise<ServerProcess> {
  return startProcess(['serve', '--port', '0', '--no-demo', '--data', data], {
    PETSTORE_ADMIN_KEY: ADMIN_KEY,
  })
}

/** Starts a store, creates categories in it, and ends it with a signal. Returns its exit code and log. */
async function serveUntil(signal: 'SIGTERM' | 'SIGKILL', data: string): Promise<[number, string]> {
  await using server = await serve(data)
  const client = makeClient({ base: server.base, key: ADMIN_KEY })
  for (let index = 0; index < CATEGORIES; index++) {
    await client.createCategory({ body: { name: `Category ${index}` } })
  }
  return [await server.kill(signal), server.logged()]
}

/** Returns a new data directory that contains only a copy of petstore.db. */
function copyOf(data: string): string {
  const copy = newDirectory()
  mkdirSync(copy)
  copyFileSync(databaseFile(data), databaseFile(copy))
  return copy
}

interface DatabaseContent {
  /** Whether a write-ahead log is next to the original file. */
  readonly hasLog: boolean
  readonly integrity: unknown
  readonly categories: unknown
  readonly keys: unknown
}

/** Returns the content of a copy of petstore.db alone. */
function contentOf(data: string): DatabaseContent {
  const hasLog = existsSync(`${databaseFile(data)}-wal`)
  using database = new Database(databaseFile(copyOf(data)), { strict: true })
  const readValue = (text: string): unknown =>
    database.query<Record<string, unknown>, []>(text).values()[0]?.[0]
  return {
    hasLog,
    integrity: readValue('PRAGMA integrity_check'),
    categories: readValue('SELECT count(*) FROM category'),
    keys: readValue('SELECT count(*) FROM api_key'),
  }
}

test('petstore.db alone is the whole store after a clean stop, an import, or a reset of the admin key', async () => {
  const data = newDirectory()
  expect((await serveUntil('SIGTERM', data))[0]).toBe(0)
  const whole = { hasLog: false, integrity: 'ok', categories: CATEGORIES, keys: 1 }
  expect(contentOf(data)).toEqual(whole)
  const file = join(directory, 'categories.csv')
  writeFileSync(file, 'name\nImported\n')
  expect((await run(['import', '--categories', file, '--data', data])).exitCode).toBe(0)
  expect(contentOf(data)).toEqual({ ...whole, categories: CATEGORIES + 1 })
  expect((await run(['keys', 'reset-admin', '--data', data])).exitCode).toBe(0)
  expect(contentOf(data)).toEqual({ ...whole, categories: CATEGORIES + 1, keys: 2 })
  await using again = await serve(copyOf(data))
  const { data: page } = await makeClient({ base: again.base, key: ADMIN_KEY }).listCategories({
    limit: 100,
  })
  expect(page.items).toHaveLength(CATEGORIES + 1)
})

test('control: petstore.db alone of a store that was killed lacks the last changes, and is refused', async () => {
  const data = newDirectory()
  await serveUntil('SIGKILL', data)
  expect(contentOf(data)).toMatchObject({ hasLog: true, categories: 0 })
  const verified = await run(['audit', 'verify', '--data', copyOf(data)])
  expect([verified.exitCode, verified.errors]).toEqual([1, expect.stringContaining('was not stopped')])
})

test('a store that stops while another process reads its database logs that the log is needed', async () => {
  const data = newDirectory()
  await using server = await serve(data)
  using reader = new Database(databaseFile(data), { readonly: true })
  reader.run('BEGIN')
  reader.query('SELECT count(*) FROM category').get()
  await makeClient({ base: server.base, key: ADMIN_KEY }).createCategory({ body: { name: 'Late' } })
  expect(await server.kill('SIGTERM')).toBe(0)
  expect(server.logged()).toContain(`keep ${databaseFile(data)}-wal with it`)
  expect(server.logged()).toContain('"msg":"stopped"')
  reader.run('COMMIT')
})
