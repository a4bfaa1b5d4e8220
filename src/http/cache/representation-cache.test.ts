import { expect, test } from 'bun:test'
import type { RowChanges } from '../../database/row-changes.ts'
import { contract } from '../../shop/registry/operations.ts'
import { cachedTables, RepresentationCache, type Ticket } from './representation-cache.ts'

type CachedId = 'getPet' | 'listPets' | 'getInventoryItem' | 'listCategories'

function keep(
  cache: RepresentationCache,
  ticket: Ticket,
  id: CachedId,
  url: string,
  input = {},
  body = url,
): void {
  const route = { id, operation: contract[id] }
  const query = { id, input, now: '', base: '', keyId: null }
  cache.keep(ticket, url, { route, path: url, host: 'shop', body, etag: '""', link: undefined }, query)
}

/** Reads a URL as often as it takes until the cache wants its response. */
function ticketFor(cache: RepresentationCache, id: CachedId, url: string): Ticket {
  const { represents } = contract[id]
  const ticket = cache.begin(url, represents) ?? cache.begin(url, represents)
  if (!ticket) throw new Error(`the cache does not want ${url}`)
  return ticket
}

function read(cache: RepresentationCache, id: CachedId, url: string, input = {}, body = url): void {
  keep(cache, ticketFor(cache, id, url), id, url, input, body)
}

function readPet(cache: RepresentationCache, petId: bigint, body?: string): void {
  read(cache, 'getPet', `/pets/${petId}`, { petId }, body)
}

const isKept = (cache: RepresentationCache, ...urls: string[]): boolean[] =>
  urls.map(url => cache.find(url) !== undefined)

const changed = (table: string, ...ids: bigint[]): RowChanges => new Map([[table, new Set(ids)]])

test('a change of a row drops its representations and the lists of its table, and no others', () => {
  const cache = new RepresentationCache()
  readPet(cache, 1n)
  readPet(cache, 2n)
  read(cache, 'listPets', '/pets?limit=5')
  read(cache, 'getInventoryItem', '/store/inventory/1', { petId: 1n })
  read(cache, 'listCategories', '/categories')
  cache.drop(changed('pet', 1n, 9n))
  const urls = ['/pets/1', '/pets/2', '/store/inventory/1', '/pets?limit=5', '/categories']
  expect(isKept(cache, ...urls)).toEqual([false, true, false, false, true])
  expect(cache.size.entries).toBe(2)
})

test('a change of unknown rows drops everything of the table', () => {
  const cache = new RepresentationCache()
  readPet(cache, 1n)
  read(cache, 'listPets', '/pets')
  cache.drop(new Map([['pet', 'any']]))
  expect(cache.size).toEqual({ entries: 0, chars: 0 })
})

test('a reply that was read before a change of its table is not kept after the change', () => {
  const cache = new RepresentationCache()
  const [early, late] = [ticketFor(cache, 'listPets', '/pets'), ticketFor(cache, 'listPets', '/pets?limit=5')]
  cache.drop(changed('category', 1n))
  keep(cache, early, 'listPets', '/pets')
  expect(isKept(cache, '/pets')).toEqual([true])
  cache.drop(changed('pet', 1n))
  keep(cache, late, 'listPets', '/pets?limit=5')
  expect(isKept(cache, '/pets', '/pets?limit=5')).toEqual([false, false])
})

test('a response is not kept while its rows are being written, nor if its read began then', () => {
  const cache = new RepresentationCache()
  readPet(cache, 1n)
  const changes = changed('pet', 1n)
  cache.drop(changes, 'announced')
  const early = ticketFor(cache, 'getPet', '/pets/1')
  readPet(cache, 1n)
  readPet(cache, 2n)
  read(cache, 'listPets', '/pets')
  read(cache, 'listCategories', '/categories')
  const urls = ['/pets/1', '/pets/2', '/pets', '/categories']
  expect(isKept(cache, ...urls)).toEqual([false, true, false, true])
  const next = changed('pet', 3n)
  cache.drop(next, 'announced')
  cache.drop(changes, 'ended')
  keep(cache, early, 'getPet', '/pets/1', { petId: 1n })
  readPet(cache, 3n)
  expect(isKept(cache, '/pets/1', '/pets/3')).toEqual([false, false])
  cache.drop(next, 'ended')
  for (const petId of [1n, 3n]) readPet(cache, petId)
  expect(isKept(cache, '/pets/1', '/pets/3')).toEqual([true, true])
})

test('a row that was read while it was written is wanted at the next read', () => {
  const cache = new RepresentationCache()
  readPet(cache, 1n)
  const changes = changed('pet', 1n)
  cache.drop(changes, 'announced')
  readPet(cache, 1n)
  cache.drop(changes, 'ended')
  expect(cache.begin('/pets/1', contract.getPet.represents)).toBeDefined()
})

test('a response is wanted when its URL is read for the second time, and each read is a miss', () => {
  const cache = new RepresentationCache()
  const { represents } = contract.getPet
  expect(cache.begin('/pets/1', represents)).toBeUndefined()
  expect(cache.begin('/pets/2', represents)).toBeUndefined()
  expect(cache.begin('/pets/1', represents)).toEqual({ represents, changeCount: 0 })
  expect(cache.misses).toBe(3)
})

test('a scan of many URLs fills neither the cache nor its memory of misses', () => {
  const cache = new RepresentationCache()
  readPet(cache, 1n)
  let wanted = 0
  for (let petId = 2; petId < 200_000; petId++) {
    if (cache.begin(`/pets/${petId}`, contract.getPet.represents)) wanted++
  }
  // Two URLs have the same hash by chance only.
  expect(wanted).toBeLessThan(5)
  expect(isKept(cache, '/pets/1')).toEqual([true])
})

test('after a change, a row is wanted at its next read, and a list at the one after that', () => {
  const cache = new RepresentationCache()
  readPet(cache, 1n)
  read(cache, 'listPets', '/pets')
  cache.drop(changed('pet', 1n))
  const isWanted = (id: CachedId, url: string) => cache.begin(url, contract[id].represents) !== undefined
  expect(isWanted('getPet', '/pets/1')).toBe(true)
  expect([isWanted('listPets', '/pets'), isWanted('listPets', '/pets')]).toEqual([false, true])
})

test('the rows of pets, categories and orders are reported to the cache', () => {
  expect(cachedTables.toSorted()).toEqual(['category', 'orders', 'pet'])
})

test('a change of a row drops its representations, also after another one of them was evicted', () => {
  const cache = new RepresentationCache({ entries: 2, chars: 1_000_000 })
  readPet(cache, 1n)
  read(cache, 'getInventoryItem', '/store/inventory/1', { petId: 1n })
  readPet(cache, 2n)
  expect(isKept(cache, '/pets/1', '/store/inventory/1', '/pets/2')).toEqual([false, true, true])
  cache.drop(changed('pet', 1n))
  expect(isKept(cache, '/store/inventory/1', '/pets/2')).toEqual([false, true])
})

test('two reads of one URL at the same time make one entry', () => {
  const cache = new RepresentationCache()
  const tickets = [ticketFor(cache, 'getPet', '/pets/1'), ticketFor(cache, 'getPet', '/pets/1')]
  for (const ticket of tickets) keep(cache, ticket, 'getPet', '/pets/1', { petId: 1n })
  expect(cache.size.entries).toBe(1)
  cache.drop(changed('pet', 1n))
  expect(cache.size).toEqual({ entries: 0, chars: 0 })
})

test('the number of entries is bounded, and the oldest one that was not read since is dropped first', () => {
  const cache = new RepresentationCache({ entries: 3, chars: 1_000_000 })
  for (const petId of [1n, 2n, 3n]) readPet(cache, petId)
  cache.find('/pets/1')
  readPet(cache, 4n)
  expect(isKept(cache, '/pets/1', '/pets/2', '/pets/3', '/pets/4')).toEqual([true, false, true, true])
  for (let petId = 10n; petId < 1000n; petId++) readPet(cache, petId)
  expect(cache.size.entries).toBe(3)
  cache.drop(new Map([['pet', 'any']]))
  expect(cache.size).toEqual({ entries: 0, chars: 0 })
})

test('the characters of all entries are bounded, also after lists were dropped', () => {
  const cache = new RepresentationCache({ entries: 1000, chars: 20_000 })
  for (let petId = 1n; petId < 50n; petId++) {
    readPet(cache, petId, 'x'.repeat(1000))
    expect(cache.size.chars).toBeLessThanOrEqual(20_000)
  }
  expect(cache.size.entries).toBeGreaterThan(3)
  cache.drop(new Map([['pet', 'any']]))
  readPet(cache, 1n)
  const { chars } = cache.size
  for (let change = 0; change < 3; change++) {
    read(cache, 'listPets', '/pets')
    read(cache, 'listPets', '/pets?limit=5')
    cache.drop(changed('pet', 9n))
    expect(cache.size).toEqual({ entries: 1, chars })
  }
})
