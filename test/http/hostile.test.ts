import { afterAll, beforeAll, expect, test } from 'bun:test'
import { z } from 'zod'
import { KEY_RANDOM_BYTES, keyText } from '../../src/shop/keys/key-text.ts'
import { parseJson, writeJson } from '../../src/values/json.ts'
import { type HostileCase, sendBytes, shortOf } from '../support/hostile-request.ts'
import { ADMIN_KEY, onEveryEngine, openTestStore, type TestStore } from '../support/store.ts'
import { hostileCases } from './hostile-cases.ts'

const HOSTILE_CASES_MIN = 160

/** The values that replace `{name}` in the head of a case, by name. */
type Placeholders = ReadonlyMap<string, string>

test('there are many hostile requests, their names are unique, and none expects a server error except 505', () => {
  const names = hostileCases.map(({ name }) => name)
  expect(names.length).toBeGreaterThanOrEqual(HOSTILE_CASES_MIN)
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
  // The runtime responds with 505 to a request line without a known version of HTTP.
  expect(hostileCases.filter(({ expected }) => /^5(?!05$)/.test(expected))).toEqual([])
})

onEveryEngine(engine => {
  const opened = Promise.withResolvers<{ store: TestStore; placeholders: Placeholders }>()

  beforeAll(async () => {
    const store = await openTestStore(engine)
    await fillStore(store)
    opened.resolve({ store, placeholders: await placeholdersOf(store) })
  })

  afterAll(async () => {
    await (await opened.promise).store[Symbol.asyncDispose]()
  })

  for (const [index, hostile] of hostileCases.entries()) {
    test(`${hostile.name} gets ${hostile.expected.slice(0, 80)}`, async () => {
      const { store, placeholders } = await opened.promise
      const healthy = store.send('GET', '/pets?id=1')
      await sendAndCheck(hostile, index, store, placeholders)
      expect((await healthy).status).toBe(200)
    })
  }

  test('after all hostile requests the store responds and has logged no error', async () => {
    const { store } = await opened.promise
    const response = await store.send('GET', '/pets?id=1')
    expect(response.status).toBe(200)
    expect(await response.text()).toBe('[{"id":1,"name":"Biscuit","categoryId":1,"status":"available"}]')
    const errors = store.logged.filter(({ level }) => level === 'error')
    expect(errors.map(({ message, fields }) => `${message}: ${caseOf(fields.requestId)}`)).toEqual([])
  })
})

async function sendAndCheck(
  hostile: HostileCase,
  index: number,
  store: TestStore,
  placeholders: Placeholders,
): Promise<void> {
  const { head, body = '', expected, contains, headers = {}, createdName, withinMs, ends } = hostile
  const filled = head.replaceAll(/\{(\w+)\}/g, (whole, name) =>
    name === 'id' ? requestId(index) : (placeholders.get(name) ?? whole),
  )
  const bytes = Buffer.concat([Buffer.from(filled, 'latin1'), Buffer.from(body)])
  const startedMs = performance.now()
  const response = await sendBytes(Number(new URL(store.base).port), bytes, ends)
  const durationMs = performance.now() - startedMs
  expect(shortOf(response)).toBe(expected)
  expect(Object.keys(headers).map(name => [name, response.headers.get(name)])).toEqual(
    Object.entries(headers),
  )
  if (contains !== undefined) expect(response.text).toContain(contains)
  if (withinMs !== undefined) expect(durationMs).toBeLessThan(withinMs)
  if (createdName === undefined) return
  const read = await fetch(response.headers.get('location') ?? '')
  for (const text of [response.text, await read.text()]) expect(nameIn(text)).toBe(createdName)
}

function requestId(index: number): string {
  return `hostile-${index}`
}

function caseOf(id: unknown): string {
  return hostileCases.find((_, index) => requestId(index) === id)?.name ?? String(id)
}

/** Returns the name in a JSON text, read with the parser of the runtime, so that our parser does not check itself. */
function nameIn(text: string): string {
  return z.object({ name: z.string() }).parse(JSON.parse(text)).name
}

/** Creates two categories, two pets, and an order of the first pet. */
async function fillStore({ client }: TestStore): Promise<void> {
  for (const name of ['Dogs', 'Cats']) await client.createCategory({ body: { name } })
  for (const name of ['Biscuit', 'Crumb']) await client.createPet({ body: { name, categoryId: 1n } })
  await client.setInventory({ petId: 1n, body: { quantity: 5n } })
  await client.placeOrder({ body: { petId: 1n } })
}

async function placeholdersOf({ client }: TestStore): Promise<Placeholders> {
  const { etag = '' } = await client.getPet({ petId: 1n })
  const cursorOf = async (list: Promise<{ data: { next?: string | undefined } }>): Promise<string> =>
    (await list).data.next ?? ''
  const pets = await cursorOf(client.listPets({ limit: 1 }))
  const byName = await cursorOf(client.listPets({ limit: 1, sort: 'name' }))
  const byQuantity = await cursorOf(client.listInventory({ limit: 1, sort: 'quantity' }))
  const categories = await cursorOf(client.listCategories({ limit: 1 }))
  return new Map([
    ['key', ADMIN_KEY],
    ['cut', ADMIN_KEY.slice(0, -1)],
    ['strange', keyText(new Uint8Array(KEY_RANDOM_BYTES).fill(7))],
    ['etag', etag],
    ['petsCursor', pets],
    ['cutCursor', pets.slice(0, -4)],
    ['categoriesCursor', categories],
    ['idBeyondInt64', forged(pets, 1n, 2n ** 63n)],
    ['numberForName', forged(byName, 5n, 1n)],
    ['nameWithNul', forged(byName, '\0', 1n)],
    ['nameForNumber', forged(byQuantity, 'five', 1n)],
    ['quantityBeyondInt64', forged(byQuantity, 2n ** 63n, 1n)],
  ])
}

/** Returns a cursor with the hash of a real cursor, and with this sort key and id. */
function forged(cursor: string, sortKey: string | bigint, id: bigint): string {
  const parts = z.array(z.unknown()).parse(parseJson(Buffer.from(cursor, 'base64url').toString()))
  return Buffer.from(writeJson([parts[0], sortKey, id])).toString('base64url')
}
