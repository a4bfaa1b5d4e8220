import { expect, test } from 'bun:test'
import { SQL } from 'bun'
import { ensureAdminKey } from '../../src/serving/first-start.ts'
import { openEngine } from '../../src/serving/open.ts'
import { KEY_RANDOM_BYTES, keyText } from '../../src/shop/keys/key-text.ts'
import { makeClient } from '../support/client.ts'
import { testedEngines } from '../support/engines.ts'
import { newDatabase } from '../support/postgres-server.ts'
import { waitForPositions } from '../support/received-events.ts'
import { ADMIN_KEY, codeOf, onEveryEngine, openTestStore, type TestStore } from '../support/store.ts'
import { newStoreDirectory } from '../support/store-directory.ts'

const OTHER_KEY = keyText(new Uint8Array(KEY_RANDOM_BYTES).fill(1))

/** Installs a key as `petstore serve` does if PETSTORE_ADMIN_KEY contains the key. */
async function installKey(store: TestStore, key: string, clock = Date.now): Promise<void> {
  await ensureAdminKey(store.engine, key, clock)
}

async function mayAdminister(store: TestStore, key: string): Promise<boolean> {
  const client = makeClient({ base: store.base, key })
  return client.listKeys({}).then(
    () => true,
    () => false,
  )
}

/** Returns the audit log of a key: the type and version of each entry, oldest first. */
async function trailOf(store: TestStore, keyId: bigint): Promise<string[]> {
  await waitForPositions(store)
  const rows = await store.database(
    `SELECT type, subject_version AS version FROM event WHERE subject = 'keys/${keyId}' ORDER BY id`,
  )
  return rows.map(({ type, version }) => `${String(type).replace('petstore.key.', '')} ${version}`)
}

onEveryEngine(engine => {
  test('PETSTORE_ADMIN_KEY may contain the key that the first start generated, which stays the only key', async () => {
    await using place = await newStoreDirectory(engine)
    const { PETSTORE_ADMIN_KEY: _given, ...without } = place.env
    const keys: string[] = []
    for (const env of [without, undefined]) {
      const key = keys[0]
      await using server = await place.startWith(env ?? { ...without, PETSTORE_ADMIN_KEY: key ?? '' })
      keys.push((await Bun.file(`${place.directory}/admin-key`).text()).trim())
      const client = makeClient({ base: server.base, key: keys[0] ?? '' })
      const { data } = await client.listKeys({})
      expect(data.items.map(({ name }) => name)).toEqual(['admin (first start)'])
      await server.kill('SIGTERM')
    }
    expect(keys[1]).toBe(keys[0] ?? '')
  })

  test('a key with fewer scopes becomes an admin key if it is in PETSTORE_ADMIN_KEY', async () => {
    await using store = await openTestStore(engine)
    const { data } = await store.client.createKey({ body: { name: 'till', scopes: ['orders:write'] } })
    expect(await mayAdminister(store, data.key)).toBe(false)
    await installKey(store, data.key)
    await installKey(store, data.key)
    const client = makeClient({ base: store.base, key: data.key })
    const found = (await client.listKeys({})).data.items.filter(({ id }) => id === data.id)
    expect(found).toMatchObject([{ name: 'till', scopes: ['admin'] }])
    expect(await trailOf(store, data.id)).toEqual(['created 1', 'created 2'])
    expect(await mayAdminister(store, ADMIN_KEY)).toBe(false)
  })

  test('a key that was revoked several times works again if it is in PETSTORE_ADMIN_KEY', async () => {
    await using store = await openTestStore(engine)
    const { data } = await store.client.createKey({ body: { name: 'ops', scopes: ['admin'] } })
    await store.client.revokeKey({ keyId: data.id })
    for (let round = 0; round < 2; round++) {
      await installKey(store, data.key)
      expect(await mayAdminister(store, data.key)).toBe(true)
      await installKey(store, ADMIN_KEY)
      expect(await mayAdminister(store, data.key)).toBe(false)
    }
    expect(await trailOf(store, data.id)).toEqual([
      ...['created 1', 'revoked 2', 'created 3', 'revoked 4', 'created 5', 'revoked 6'],
    ])
  })

  test('an expired key works again if it is in PETSTORE_ADMIN_KEY', async () => {
    let now = Date.parse('2026-11-21T00:00:00Z')
    const clock = (): number => now
    await using store = await openTestStore(engine, { clock })
    const expiresAt = '2026-11-21T01:00:00Z'
    const { data } = await store.client.createKey({ body: { name: 'guest', scopes: ['admin'], expiresAt } })
    now += 3_600_000
    const guest = makeClient({ base: store.base, key: data.key })
    expect(await codeOf(guest.listKeys({}))).toBe('401 invalid_token')
    await installKey(store, data.key, clock)
    expect((await guest.listKeys({})).data.items.map(({ expiresAt }) => expiresAt)).toEqual([undefined])
    expect(await trailOf(store, data.id)).toEqual(['created 1', 'created 2'])
  })

  test('an existing admin key is revoked when PETSTORE_ADMIN_KEY changes from that key to another key', async () => {
    await using store = await openTestStore(engine)
    const { data } = await store.client.createKey({ body: { name: 'ops', scopes: ['admin'] } })
    await installKey(store, data.key)
    expect(await trailOf(store, data.id)).toEqual(['created 1'])
    await installKey(store, OTHER_KEY)
    expect(await mayAdminister(store, data.key)).toBe(false)
    expect(await trailOf(store, data.id)).toEqual(['created 1', 'revoked 2'])
  })
})

test.skipIf(!testedEngines.includes('postgres'))(
  'concurrent starts on one PostgreSQL database with the same key create that key once',
  async () => {
    for (let round = 0; round < 5; round++) {
      const databaseUrl = await newDatabase()
      const log = { access: () => {}, info: () => {}, error: () => {} }
      const open = () => openEngine({ databaseUrl, directory: '/nowhere', log, onFatal: () => {} })
      const engines = await Promise.all([open(), open(), open()])
      await Promise.all(engines.map(engine => ensureAdminKey(engine, ADMIN_KEY, Date.now)))
      await using pool = new SQL({ url: databaseUrl, bigint: true, max: 1 })
      const [keys] = await pool.unsafe('SELECT count(*) AS count FROM api_key WHERE revoked_at IS NULL')
      await waitForPositions({ database: async text => [...(await pool.unsafe(text))] })
      const [events] = await pool.unsafe('SELECT count(*) AS count FROM event')
      expect([keys.count, events.count]).toEqual([1n, 1n])
      await Promise.all(engines.map(engine => engine.close()))
    }
  },
)
