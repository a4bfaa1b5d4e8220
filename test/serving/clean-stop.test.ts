import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { request as openRequest } from 'node:http'
import { join } from 'node:path'
import { databaseFile } from '../../src/database/sqlite/database-file.ts'
import { makeClient } from '../support/client.ts'
import { run, type ServerProcess, startProcess } from '../support/process.ts'
import { ADMIN_KEY } from '../support/store.ts'
import { testFolder } from '../support/test-folder.ts'
import { until } from '../support/until.ts'

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

test('a store that stops refuses new connections, and responds to the request that it is reading', async () => {
  await using server = await serve(newDirectory())
  const body = '{"name":"The last one"}'
  const answered = Promise.withResolvers<number | undefined>()
  const request = openRequest(`${server.base}/categories`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${ADMIN_KEY}`,
      'Content-Type': 'application/json',
      'Content-Length': `${body.length}`,
    },
  })
  request.on('response', ({ statusCode }) => answered.resolve(statusCode)).on('error', answered.reject)
  request.write(body.slice(0, 5))
  await Bun.sleep(200)
  const stopped = server.kill('SIGTERM')
  const refusal = async (): Promise<string> =>
    fetch(`${server.base}/livez`, { keepalive: false }).then(
      ({ status }) => `${status}`,
      error => error.code,
    )
  await until('it refuses connections', async () => (await refusal()) === 'ECONNREFUSED')
  request.end(body.slice(5))
  expect([await answered.promise, await stopped]).toEqual([201, 0])
})

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
