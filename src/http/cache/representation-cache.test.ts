import { expect, test } from 'bun:test'
import type { RowChanges } from '../../database/row-changes.ts'
import { RepresentationCache } from './representation-cache.ts'

const reply = (body: string) => ({ status: 200, body, etag: `"${body}"` })

/** Stores the reply of a read of a pet. The read ends as soon as it begins. */
function readPet(cache: RepresentationCache, petId: bigint, body = `pet ${petId}`): void {
  const ticket = cache.begin('getPet')
  if (ticket) cache.store(ticket, `/pets/${petId}`, { petId }, reply(body))
}

function readList(cache: RepresentationCache, target: string): void {
  const ticket = cache.begin('listPets')
  if (ticket) cache.store(ticket, target, {}, reply('[]'))
}

function bodies(cache: RepresentationCache, ...targets: string[]): (string | null | undefined)[] {
  return targets.map(target => cache.peek(target)?.reply.body)
}

const changed = (table: string, ...ids: bigint[]): RowChanges => new Map([[table, new Set(ids)]])

test('a change of a row drops its representations and the lists of its table, and no others', () => {
  const cache = new RepresentationCache()
  readPet(cache, 1n)
  readPet(cache, 2n)
  readList(cache, '/pets?limit=5')
  const ticket = cache.begin('getInventoryItem')
  if (ticket) cache.store(ticket, '/store/inventory/1', { petId: 1n }, reply('item 1'))
  const other = cache.begin('listCategories')
  if (other) cache.store(other, '/categories', {}, reply('[]'))
  cache.drop(changed('pet', 1n, 9n))
  expect(bodies(cache, '/pets/1', '/pets/2', '/store/inventory/1', '/pets?limit=5', '/categories')).toEqual([
    undefined,
    'pet 2',
    undefined,
    undefined,
    '[]',
  ])
  expect(cache.size.entries).toBe(2)
})

test('a change of unknown rows drops everything of the table', () => {
  const cache = new RepresentationCache()
  readPet(cache, 1n)
  readList(cache, '/pets')
  cache.drop(new Map([['pet', 'any']]))
  expect(cache.size).toEqual({ entries: 0, chars: 0 })
})

test('a reply that was read before a change of its table is not stored after the change', () => {
  const cache = new RepresentationCache()
  const ticket = cache.begin('listPets')
  cache.drop(changed('category', 1n))
  if (ticket) cache.store(ticket, '/pets', {}, reply('[1]'))
  expect(bodies(cache, '/pets')).toEqual(['[1]'])
  cache.drop(changed('pet', 1n))
  const stale = cache.begin('listPets')
  cache.drop(changed('pet', 2n))
  if (stale) cache.store(stale, '/pets', {}, reply('[1,2]'))
  expect(bodies(cache, '/pets')).toEqual([undefined])
})

test('keys, events, webhooks, lists of orders and the summary are not cached', () => {
  const cache = new RepresentationCache()
  for (const id of ['listKeys', 'listEvents', 'getWebhook', 'listOrders', 'getStoreSummary'] as const) {
    expect(cache.begin(id)).toBeUndefined()
  }
})

test('a change of a row drops its representations, also after another one of them was evicted', () => {
  const cache = new RepresentationCache({ entries: 2, chars: 1_000_000 })
  readPet(cache, 1n)
  const ticket = cache.begin('getInventoryItem')
  if (ticket) cache.store(ticket, '/store/inventory/1', { petId: 1n }, reply('item 1'))
  cache.find('/store/inventory/1')
  readPet(cache, 2n)
  expect(bodies(cache, '/pets/1', '/store/inventory/1', '/pets/2')).toEqual([undefined, 'item 1', 'pet 2'])
  cache.drop(changed('pet', 1n))
  expect(bodies(cache, '/pets/1', '/store/inventory/1', '/pets/2')).toEqual([undefined, undefined, 'pet 2'])
})

test('two reads of the same target at the same time make one entry', () => {
  const cache = new RepresentationCache()
  readPet(cache, 1n)
  readList(cache, '/pets')
  const { size } = cache
  const empty = new RepresentationCache()
  const read = (queryId: 'getPet' | 'listPets', target: string, input: object, body: string) => {
    const tickets = [empty.begin(queryId), empty.begin(queryId)]
    for (const ticket of tickets) if (ticket) empty.store(ticket, target, input, reply(body))
  }
  read('getPet', '/pets/1', { petId: 1n }, 'pet 1')
  read('listPets', '/pets', {}, '[]')
  expect(empty.size).toEqual(size)
  empty.drop(changed('pet', 1n))
  expect(empty.size).toEqual({ entries: 0, chars: 0 })
})

test('the number of entries is bounded, and entries that were not read lately are evicted first', () => {
  const cache = new RepresentationCache({ entries: 3, chars: 1_000_000 })
  for (const petId of [1n, 2n, 3n]) readPet(cache, petId)
  cache.find('/pets/1')
  readPet(cache, 4n)
  expect(bodies(cache, '/pets/1', '/pets/2', '/pets/3', '/pets/4')).toEqual([
    'pet 1',
    undefined,
    'pet 3',
    'pet 4',
  ])
  for (let petId = 10n; petId < 1000n; petId++) {
    if (petId % 3n === 0n) cache.find(`/pets/${petId - 1n}`)
    readPet(cache, petId)
  }
  expect(cache.size.entries).toBe(3)
  cache.drop(new Map([['pet', 'any']]))
  expect(cache.size).toEqual({ entries: 0, chars: 0 })
})

test('the characters of all entries are bounded, and a long reply is not stored', () => {
  const cache = new RepresentationCache({ entries: 1000, chars: 10_000 })
  for (let petId = 1n; petId < 50n; petId++) {
    readPet(cache, petId, 'x'.repeat(1000))
    expect(cache.size.chars).toBeLessThanOrEqual(10_000)
  }
  expect(cache.size.entries).toBeGreaterThan(3)
  readPet(cache, 99n, 'x'.repeat(100_000))
  expect(bodies(cache, '/pets/99')).toEqual([undefined])
})

test('the size of the cache is that of its entries, also after lists were dropped', () => {
  const cache = new RepresentationCache()
  readPet(cache, 1n)
  const { chars } = cache.size
  for (let change = 0; change < 3; change++) {
    readList(cache, '/pets')
    readList(cache, '/pets?limit=5')
    cache.drop(changed('pet', 9n))
    expect(cache.size).toEqual({ entries: 1, chars })
  }
})
