import { describe, expect, test } from 'bun:test'
import { z } from 'zod'
import { locationOf, type Operation } from '../../src/contract/operation.ts'
import {
  type Representation,
  RepresentationCache,
  type Ticket,
} from '../../src/http/cache/representation-cache.ts'
import { contract, isOperationId, isQueryId, type QueryId } from '../../src/shop/registry/operations.ts'
import type { Query } from '../../src/shop/registry/queries.ts'
import { freshBody, RecordedCache } from '../support/recorded-cache.ts'
import { withLateReports, withoutReportsOf } from '../support/row-reports.ts'
import { makePet } from '../support/shop.ts'
import { openTestStore, type TestOptions, type TestStore } from '../support/store.ts'
import { until } from '../support/until.ts'

/** The number of reads beside random writes. */
const READS = 3000

/** A target that is read before and after each change, and the id and the input of its query. */
type Target = readonly [target: string, id: QueryId, input: object]

/** Returns a target for each read that the cache may have, of the resources with these ids. */
function targetsOf(ids: Readonly<Record<string, bigint>>): Target[] {
  return Object.entries<Operation>(contract).flatMap(([id, operation]) => {
    const { path, represents, pathParameters = {}, query = {} } = operation
    if (!represents || !isOperationId(id) || !isQueryId(id)) return []
    const inPath = Object.fromEntries(Object.keys(pathParameters).map(name => [name, ids[name]]))
    const required = Object.fromEntries(
      Object.entries(query).flatMap(([name, parameter]) =>
        parameter.required ? [[name, String(parameter.example)]] : [],
      ),
    )
    return [[`${locationOf(path, ids)}?${new URLSearchParams(required)}`, id, { ...inPath, ...required }]]
  })
}

async function sentBody(store: TestStore, [target, id]: Target): Promise<string> {
  const isPublic = contract[id].scope === 'public'
  const response = await (isPublic ? fetch(store.base + target) : store.send('GET', target))
  return response.ok ? await response.text() : String(response.status)
}

/** Changes every kind of cached row. Returns each pair of a change and a target that was stale after the change. */
async function staleAfterChanges(options: TestOptions): Promise<string[]> {
  await using store = await openTestStore('sqlite', { ...options, representations: new RecordedCache() })
  const { client } = store
  // The ids of the pet, the category and the order differ, so that a response about another row is noticed.
  await client.createCategory({ body: { name: 'Other' } })
  await makePet(client)
  const { petId, categoryId, orderId } = await makePet(client, { quantity: 9n, reserved: 2n })
  const targets: Target[] = [
    [`/pets?id=${petId}`, 'listPets', { id: [petId] }],
    ['/pets?limit=100&status=available', 'listPets', { limit: 100, status: ['available'] }],
    ...targetsOf({ petId, categoryId, orderId }),
  ]
  const stale: string[] = []
  const changes: [name: string, change: () => Promise<unknown>][] = [
    ['updatePet', () => client.updatePet({ petId, body: { name: 'Renamed' } })],
    ['updateCategory', () => client.updateCategory({ categoryId, body: { name: 'Moved' } })],
    ['placeOrder', () => client.placeOrder({ body: { petId, quantity: 7n } })],
    ['updateOrder', () => client.updateOrder({ orderId, body: { quantity: 1n } })],
    ['cancelOrder', () => client.cancelOrder({ orderId })],
    ['setInventory', () => client.setInventory({ petId, body: { quantity: 50n } })],
    ['adjustInventory', () => client.adjustInventory({ petId, body: { quantityChange: 1n } })],
    ['createPet', () => client.createPet({ body: { name: 'Another', categoryId } })],
    ['createCategory', () => client.createCategory({ body: { name: 'Another' } })],
    ['refused', () => client.setInventory({ petId, body: { quantity: 0n } }).catch(() => {})],
    ['import', () => importPet(client)],
    ['completeOrder', () => client.updateOrder({ orderId: orderId + 1n, body: { complete: true } })],
    ['deletePet', () => client.deletePet({ petId })],
    ['deleteCategory', () => deleteCategory(client, categoryId)],
  ]
  for (const [name, change] of changes) {
    for (const target of targets) await sentBody(store, target)
    await change()
    for (const target of targets) {
      const [, id, input] = target
      const fresh = (await freshBody(store, { id, input })) ?? '404'
      // The first read fills the cache, and the second one is from the cache.
      const sent = [await sentBody(store, target), await sentBody(store, target)]
      if (sent.some(body => body !== fresh)) stale.push(`${name} ${target[1]}`)
    }
  }
  return stale
}

/** Deletes the pets of a category, then the category. */
async function deleteCategory(client: TestStore['client'], categoryId: bigint): Promise<void> {
  const { data } = await client.listPets({ categoryId: [categoryId] })
  for (const { id } of data.items) await client.deletePet({ petId: id })
  await client.deleteCategory({ categoryId })
}

async function importPet(client: TestStore['client']): Promise<void> {
  const categories = [{ line: 2n, name: 'Imported' }]
  const pets = [{ line: 2n, name: 'Imported', category: 'Imported', quantity: 3n, hold: false }]
  await client.stageImport({ importId: 5n, body: { categories, pets } })
  await client.loadImportSlice({ importId: 5n, body: { begins: true, rows: 500n } })
}

describe('reads from the cache', () => {
  test('a read from the cache equals a read from the database after every kind of change', async () => {
    expect(await staleAfterChanges({})).toEqual([])
  })

  test('control: a changed row that the engine does not report is detected', async () => {
    const stale = await staleAfterChanges(withoutReportsOf('pet'))
    expect(stale).toContain('updatePet getPet')
    expect(stale).toContain('deletePet getInventoryItem')
  })

  test('control: a cache entry that is dropped after the reply, not before it, is detected', async () => {
    const stale = await staleAfterChanges(withLateReports())
    expect(stale).toContain('updatePet getPet')
  })

  test('a read from the cache has the headers of the first read, and respects the same conditions', async () => {
    await using store = await openTestStore('sqlite')
    const { petId } = await makePet(store.client)
    const [first, second] = [
      await store.send('GET', `/pets/${petId}`),
      await store.send('GET', `/pets/${petId}`),
    ]
    const headersOf = ({ headers }: Response): [string, string][] =>
      [...headers].filter(([name]) => !['x-request-id', 'date'].includes(name))
    expect(headersOf(second)).toEqual(headersOf(first))
    const headers = { 'If-None-Match': first.headers.get('etag') ?? '' }
    expect((await store.send('GET', `/pets/${petId}`, { headers })).status).toBe(304)
    expect((await store.send('GET', `/pets/${petId}`, { headers: { 'If-Match': '"x"' } })).status).toBe(412)
    const head = await store.send('HEAD', `/pets/${petId}`)
    expect([head.status, head.headers.get('content-length')]).toEqual([
      200,
      first.headers.get('content-length') ?? '',
    ])
    expect((await store.send('GET', `/pets/${petId}`, { headers: { Accept: 'text/plain' } })).status).toBe(
      406,
    )
  })

  test('a read from the cache requires the scope of its operation', async () => {
    await using store = await openTestStore('sqlite')
    const { orderId } = await makePet(store.client, { reserved: 1n })
    const path = `/store/orders/${orderId}`
    expect((await store.send('GET', path)).status).toBe(200)
    expect((await fetch(store.base + path)).status).toBe(401)
    const till = await store.clientWith('pets:write')
    await expect(till.getOrder({ orderId })).rejects.toMatchObject({ code: 'insufficient_scope' })
  })

  test('a read from the cache is counted in the metrics', async () => {
    await using store = await openTestStore('sqlite')
    const { petId } = await makePet(store.client)
    for (let count = 0; count < 3; count++) await store.send('GET', `/pets/${petId}`)
    const metrics = await (await store.send('GET', '/metrics')).text()
    expect(metrics).toContain('petstore_cache_reads_total{result="hit"} 2\n')
    expect(metrics).toContain('petstore_cache_reads_total{result="miss"} 1\n')
    expect(metrics).toContain('petstore_cache_entries 1\n')
  })
})

test('a read with a current tag gets 304 in verify mode too', async () => {
  await using store = await openTestStore('sqlite', { cache: 'verify' })
  const { petId } = await makePet(store.client)
  const read = (headers = {}): Promise<Response> => store.send('GET', `/pets/${petId}`, { headers })
  await read()
  const headers = { 'If-None-Match': (await read()).headers.get('etag') ?? '' }
  expect((await read(headers)).status).toBe(304)
})

test('control: the cache in verify mode detects a stale reply', async () => {
  await using store = await openTestStore('sqlite', { cache: 'verify', ...withoutReportsOf('pet') })
  const { petId } = await makePet(store.client)
  const read = async (): Promise<number> => (await store.send('GET', `/pets/${petId}`)).status
  expect([await read(), await read()]).toEqual([200, 200])
  await store.client.updatePet({ petId, body: { name: 'Renamed' } })
  expect(await read()).toBe(500)
  expect(store.logged.map(({ fields }) => String(fields.error)).join()).toContain(
    'the cache has a stale reply',
  )
})

test('control: a stale reply that no test reads again is detected at the end of the store', async () => {
  const staleAfterChange = async (options: TestOptions): Promise<string[]> => {
    const representations = new RecordedCache()
    await using store = await openTestStore('sqlite', { ...options, representations })
    const { petId } = await makePet(store.client)
    await store.send('GET', `/pets/${petId}`)
    await store.client.updatePet({ petId, body: { name: 'Renamed' } })
    return (await representations.staleUrls(store)).map(url => url.replace(store.base, ''))
  }
  expect(await staleAfterChange({})).toEqual([])
  expect(await staleAfterChange(withoutReportsOf('pet'))).toEqual(['/pets/1'])
})

/** A cache that keeps a reply even if the rows have changed since the reply was read. */
class UncheckedCache extends RecordedCache {
  override keep(ticket: Ticket, url: string, response: Representation, query: Query): void {
    const current = this.begin(url, ticket.represents)
    super.keep({ ...ticket, changeCount: current?.changeCount ?? 0 }, url, response, query)
  }
}

/** Reads a list, and changes a pet in it before the reply of the read arrives. Returns the body of the next read. */
async function listAfterLateReply(representations: RepresentationCache): Promise<string> {
  const late = Promise.withResolvers<void>()
  let reads = 0
  await using store = await openTestStore('sqlite', {
    representations,
    wrapEngine: engine => ({
      ...engine,
      readLong: async query => {
        const reply = await engine.readLong(query)
        reads++
        if (reads === 1) await late.promise
        return reply
      },
    }),
  })
  const { petId } = await makePet(store.client)
  // A page of this length is read in the reader worker, so its reply can be late.
  const list = '/pets?limit=50'
  const first = store.send('GET', list)
  await until('the list is read', () => reads === 1)
  await store.client.updatePet({ petId, body: { name: 'Renamed' } })
  late.resolve()
  await first
  return await (await store.send('GET', list)).text()
}

describe('lists that were read before a change', () => {
  test('a list that was read before a change is not kept after the change', async () => {
    expect(await listAfterLateReply(new RecordedCache())).toContain('Renamed')
  })

  test('control: a cache that keeps the list after the change is detected', async () => {
    expect(await listAfterLateReply(new UncheckedCache())).not.toContain('Renamed')
  })
})

test('while clients read and write concurrently, no reply of the cache differs from the database', async () => {
  await using store = await openTestStore('sqlite', { cache: 'verify' })
  const pets = await Promise.all(Array.from({ length: 8 }, () => makePet(store.client, { quantity: 1000n })))
  let isWriting = true
  const writers = pets.slice(0, 4).map(async ({ petId }) => {
    for (let count = 0; count < 40; count++) {
      const { data } = await store.client.placeOrder({ body: { petId } })
      await store.client.cancelOrder({ orderId: data.id ?? 0n })
    }
  })
  const statuses = new Set<number>()
  const readers = pets.map(async ({ petId, categoryId }) => {
    const targets = [`/pets/${petId}`, `/store/inventory/${petId}`, '/pets', `/categories/${categoryId}`]
    while (isWriting) for (const target of targets) statuses.add((await store.send('GET', target)).status)
  })
  await Promise.all(writers)
  isWriting = false
  await Promise.all(readers)
  expect([...statuses]).toEqual([200])
  const metrics = await (await store.send('GET', '/metrics')).text()
  expect(Number(/result="hit"} (\d+)/.exec(metrics)?.[1])).toBeGreaterThan(100)
}, 60_000)

const Stock = z.looseObject({ quantity: z.number() })

function pick<Item>(items: readonly [Item, ...Item[]]): Item {
  return items[Math.floor(Math.random() * items.length)] ?? items[0]
}

/** Returns the quantities that were read from the cache after the pipeline had shown a newer one. */
async function quantitiesAfterNewer(options: TestOptions): Promise<string[]> {
  const writer = new URL('../controls/late-report-writer.ts', import.meta.url)
  await using store = await openTestStore('sqlite', { ...options, writer })
  const { petId } = await makePet(store.client, { quantity: 1n })
  const read = async (headers = {}): Promise<number> => {
    const response = await fetch(`${store.base}/store/inventory/${petId}`, { headers })
    return Stock.parse(await response.json()).quantity
  }
  const older: string[] = []
  for (const quantity of [2, 3, 4]) {
    for (let count = 0; count < 3; count++) await read()
    const written = store.client.setInventory({ petId, body: { quantity: BigInt(quantity) } })
    // A read with an origin is not from the cache.
    await until('the commit is shown', async () => (await read({ Origin: 'http://shop' })) === quantity)
    const cached = await read()
    if (cached < quantity) older.push(`${cached} after ${quantity}`)
    await written
  }
  return older
}

test('a read from the cache is not older than a read of the database that was answered before it', async () => {
  expect(await quantitiesAfterNewer({})).toEqual([])
})

test('reads come from the cache until the database shows the commit that changes them', async () => {
  const writer = new URL('../controls/late-report-writer.ts', import.meta.url)
  const representations = new RepresentationCache()
  await using store = await openTestStore('sqlite', { representations, writer })
  const { petId } = await makePet(store.client, { quantity: 1n })
  const read = async () => Stock.parse(await (await fetch(`${store.base}/store/inventory/${petId}`)).json())
  for (let count = 0; count < 3; count++) await read()
  const [hits, misses] = [representations.hits, representations.misses]
  const written = store.client.setInventory({ petId, body: { quantity: 2n } })
  await until('the commit is shown', async () => (await read()).quantity === 2)
  expect(representations.misses - misses).toBeLessThan((representations.hits - hits) / 2)
  await written
})

test('control: a read from the cache that is older, because rows are not announced, is detected', async () => {
  const wrapEngine: TestOptions['wrapEngine'] = engine => ({ ...engine, announceRows: () => {} })
  expect(await quantitiesAfterNewer({ wrapEngine })).toEqual(['1 after 2', '2 after 3', '3 after 4'])
})

/** The stock in the response to a read, and the tag of the response. */
type Known = Map<string, { readonly etag: string; readonly quantity: number }>

/** Reads the quantity of a pet in a random way, and with a random condition. */
async function randomRead({ base, send }: TestStore, petId: bigint, known: Known): Promise<number> {
  const target = pick([
    `/store/inventory/${petId}`,
    `/store/inventory?petId=${petId}`,
    `/pets?id=${petId}&include=stock`,
    `/pets?include=stock&limit=1&id=${petId}`,
  ])
  const before = pick([known.get(target), undefined])
  const headers = { ...(before && { 'If-None-Match': before.etag }) }
  const isAnonymous = pick([true, false])
  const response = await (isAnonymous ? fetch(base + target, { headers }) : send('GET', target, { headers }))
  if (response.status === 304 && before) return before.quantity
  const [{ quantity }] = z.tuple([Stock]).parse([await response.json()].flat())
  known.set(target, { etag: response.headers.get('etag') ?? '', quantity })
  return quantity
}

/** Random writers raise the quantities of pets beside random readers. Returns the reads that are older than a write. */
async function staleReads(options: TestOptions): Promise<string[]> {
  // Much is evicted from so small a cache.
  const representations = new RepresentationCache({ entries: 12, chars: 1_000_000 })
  await using store = await openTestStore('sqlite', { ...options, representations })
  const pets = await Promise.all(Array.from({ length: 6 }, () => makePet(store.client, { quantity: 1n })))
  /** The last quantity of each pet whose write was answered. */
  const written = new Map(pets.map(({ petId }) => [petId, 1]))
  const known: Known = new Map()
  const stale: string[] = []
  let reads = 0
  const writers = pets.slice(0, 3).map(async ({ petId }) => {
    for (let quantity = 2; reads < READS; quantity++) {
      await store.client.setInventory({ petId, body: { quantity: BigInt(quantity) } })
      written.set(petId, quantity)
      await Bun.sleep(Math.random() * 4)
    }
  })
  const readers = Array.from({ length: 8 }, async () => {
    while (reads++ < READS) {
      const { petId = 0n } = pets[Math.floor(Math.random() * pets.length)] ?? {}
      const atLeast = written.get(petId) ?? 0
      const quantity = await randomRead(store, petId, known)
      if (quantity < atLeast) stale.push(`pet ${petId}: ${quantity} after ${atLeast}`)
    }
  })
  await Promise.all([...writers, ...readers])
  expect(representations.hits).toBeGreaterThan(READS / 20)
  return stale
}

test('while random clients read and write, no read is older than a write that was answered before it', async () => {
  expect(await staleReads({})).toEqual([])
})

test('control: a read that is older than a write that was answered is detected', async () => {
  expect(await staleReads(withLateReports())).not.toEqual([])
})
