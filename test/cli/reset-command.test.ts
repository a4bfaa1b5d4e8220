import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { importCategories } from '../support/busy-shop.ts'
import { makeClient } from '../support/client.ts'
import { testedEngines } from '../support/engines.ts'
import { type ProcessResult, run, startProcess } from '../support/process.ts'
import { waitForPositions } from '../support/received-events.ts'
import { ADMIN_KEY, onEveryEngine } from '../support/store.ts'
import { newStoreDirectory, type StoreDirectory } from '../support/store-directory.ts'

async function reset(place: StoreDirectory, ...args: string[]): Promise<ProcessResult> {
  return run(['reset', '--data', place.directory, ...args], place.env)
}

/** Makes a store with categories, a till's key and events, and stops it. Returns the till's key. */
async function useAndStop(place: StoreDirectory): Promise<string> {
  await using server = await place.start()
  const client = place.client(server)
  await importCategories(client, 300)
  const { data } = await client.createKey({ body: { name: 'till', scopes: ['orders:read'] } })
  await server.kill('SIGTERM')
  return data.key
}

/**
 * Starts a store without --no-demo, so the store would load the demo shop if it counted as new. Returns the counts of
 * its rows, and the status of a request with the till's key.
 */
async function contentsOf(place: StoreDirectory, key: string): Promise<Record<string, unknown>> {
  const { PETSTORE_ADMIN_KEY: _, ...env } = place.env
  await using server = await startProcess(['serve', '--port', '0', '--data', place.directory], env)
  const till = await fetch(`${server.base}/keys/current`, { headers: { Authorization: `Bearer ${key}` } })
  await waitForPositions(place)
  const [row] = await place.database(`SELECT (SELECT count(*) FROM pet) AS pets,
    (SELECT count(*) FROM category WHERE id = 1) AS "firstCategory",
    (SELECT count(*) FROM event WHERE position = 1) AS "firstEvent",
    (SELECT count(*) FROM event WHERE type = 'petstore.category.created') AS "categoryEvents"`)
  await server.kill('SIGTERM')
  return { ...row, tillStatus: till.status }
}

onEveryEngine(engine => {
  test('reset --empty deletes everything, including the keys, and the next start loads no demo shop', async () => {
    await using place = await newStoreDirectory(engine)
    const key = await useAndStop(place)
    const { exitCode, errors } = await reset(place, '--empty', '--yes')
    expect([exitCode, errors]).toEqual([
      0,
      expect.stringContaining('The next start creates a new admin key.'),
    ])
    expect(await contentsOf(place, key)).toEqual({
      pets: 0n,
      firstCategory: 0n,
      firstEvent: 1n,
      categoryEvents: 0n,
      tillStatus: 401,
    })
    expect(existsSync(join(place.directory, 'admin-key'))).toBe(true)
  })

  test('reset --demo --keep-keys loads the demo shop with ids from 1, and the keys stay valid', async () => {
    await using place = await newStoreDirectory(engine)
    const key = await useAndStop(place)
    const { exitCode, errors } = await reset(place, '--demo', '--keep-keys', '--yes')
    expect([exitCode, errors]).toEqual([0, expect.stringContaining('Its API keys are valid as before.')])
    expect(await contentsOf(place, key)).toEqual({
      pets: 349n,
      firstCategory: 1n,
      firstEvent: 1n,
      categoryEvents: 16n,
      tillStatus: 200,
    })
    await using server = await place.start()
    const { data } = await makeClient({ base: server.base, key: ADMIN_KEY }).createKey({
      body: { name: 'next', scopes: ['orders:read'] },
    })
    const [old] = await place.database('SELECT count(*) AS count FROM api_key')
    expect([data.id > 2n, old?.count]).toEqual([true, 3n])
  })

  test('a running store is not reset, and a stopped store is not reset without a confirmation', async () => {
    await using place = await newStoreDirectory(engine)
    await place.use(async client => {
      await importCategories(client, 3)
      const running = await reset(place, '--empty', '--yes')
      expect([running.exitCode, running.errors]).toEqual([
        1,
        expect.stringMatching(/is in use by another petstore process|A process of the store is connected/),
      ])
    })
    const [before] = await place.database('SELECT count(*) AS count FROM category')
    const unconfirmed = await reset(place, '--empty')
    expect([unconfirmed.exitCode, unconfirmed.errors]).toEqual([
      2,
      expect.stringMatching(
        /^This deletes 0 pets, 3 categories, 0 orders, 0 webhooks and \d+ events in the store /,
      ),
    ])
    expect(unconfirmed.errors).toContain('Nothing was deleted: without a terminal, confirm with --yes.\n')
    for (const args of [['--yes'], ['--yes', '--demo', '--empty']]) {
      const { exitCode, errors } = await reset(place, ...args)
      expect([exitCode, errors.trim()]).toEqual([2, 'Specify --demo or --empty.'])
    }
    const [after] = await place.database('SELECT count(*) AS count FROM category')
    expect(after).toEqual(before)
  })
})

test('the file of a store that was reset is small again, and only its owner can read it', async () => {
  await using place = await newStoreDirectory('sqlite')
  await useAndStop(place)
  const file = join(place.directory, 'petstore.db')
  await place.database(
    `INSERT INTO metadata (name, value) VALUES ('filler', hex(zeroblob(2000000))) RETURNING 1`,
  )
  const before = statSync(file).size
  expect((await reset(place, '--empty', '--yes')).exitCode).toBe(0)
  expect([before > 4_000_000, statSync(file).size < 500_000, statSync(file).mode & 0o777]).toEqual([
    true,
    true,
    0o600,
  ])
  expect(readFileSync(file).includes('filler')).toBe(false)
})

test.skipIf(!testedEngines.includes('postgres'))(
  'a reset of a store on PostgreSQL does not delete the admin key of another store in the data directory',
  async () => {
    await using place = await newStoreDirectory('postgres')
    await useAndStop(place)
    const file = join(place.directory, 'admin-key')
    writeFileSync(file, 'of another store')
    const { exitCode, errors } = await reset(place, '--empty', '--yes')
    expect([exitCode, errors]).toEqual([
      0,
      expect.stringContaining(`uses the admin key in ${file}, or creates one`),
    ])
    expect(readFileSync(file, 'utf8')).toBe('of another store')
  },
)

test('a store that another process reads is reset, and its file stays as large as it was', async () => {
  await using place = await newStoreDirectory('sqlite')
  await useAndStop(place)
  using reader = new Database(join(place.directory, 'petstore.db'))
  reader.run('BEGIN')
  reader.query('SELECT count(*) FROM pet').get()
  const { exitCode, errors } = await reset(place, '--empty', '--yes')
  expect([exitCode, errors]).toEqual([
    0,
    expect.stringContaining('Everything was deleted, but the file is not small yet'),
  ])
  expect(existsSync(join(place.directory, 'admin-key'))).toBe(false)
  reader.run('COMMIT')
  expect(await place.database('SELECT id FROM pet')).toEqual([])
})
