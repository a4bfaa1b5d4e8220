import { expect, test } from 'bun:test'
import { z } from 'zod'
import type { Operation } from '../../src/contract/operation.ts'
import { isRepeated, type Parameter } from '../../src/contract/parameter.ts'
import { contract } from '../../src/shop/registry/operations.ts'
import { onEveryEngine, openTestStore, type TestStore } from '../support/store.ts'

type Item = Readonly<Record<string, unknown>>

/** Values of a filter, and whether an item passes it with one of them. */
interface FilterModel {
  /** The later values are for a repeated filter: an item passes if it passes with any of them. */
  readonly values: readonly string[]
  readonly passes: (item: Item, value: string) => boolean
}
type FilterModels = Readonly<Record<string, FilterModel>>

/** Not filters: how a list is paged, sorted and shown. */
const OTHERS = ['limit', 'cursor', 'after', 'wait', 'sort', 'include']
const LIMIT = '7'

const equals = (member: string, ...values: string[]): FilterModel => ({
  values,
  passes: (item, value) => String(item[member]) === value,
})
const compares = (member: string, sign: 1 | -1, value: string): FilterModel => ({
  values: [value],
  passes: (item, limit) => {
    const text = item[member]
    return typeof text === 'string' && (Date.parse(text) - Date.parse(limit)) * sign > 0
  },
})
const words = (nameOf: (item: Item) => string, value: string): FilterModel => ({
  values: [value],
  passes: (item, text) => {
    const own = nameOf(item).toLowerCase().split(' ')
    return text.split(' ').every(start => own.some(word => word.startsWith(start)))
  },
})
const early = (instants: readonly string[]): string => instants[Math.floor(instants.length / 3)] ?? ''
const late = (instants: readonly string[]): string => instants[Math.floor((instants.length * 2) / 3)] ?? ''
const isAbout = (item: Item, petId: string): boolean => {
  const data: unknown = item.data
  const named = typeof data === 'object' && data !== null ? Reflect.get(data, 'petId') : undefined
  return [`pets/${petId}`, `inventory/${petId}`].includes(String(item.subject)) || String(named) === petId
}

/**
 * What each filter of a list means. `names` has the names of the pets by id, `instants` those of the items of the
 * list in order.
 */
const models = (
  names: ReadonlyMap<string, string>,
  instants: readonly string[],
): Readonly<Record<string, FilterModels>> => ({
  listPets: {
    id: equals('id', '2', '5', '9', '10'),
    status: equals('status', 'available', 'sold'),
    categoryId: equals('categoryId', '1', '2'),
    name: { values: ['re'], passes: ({ name }, start) => String(name).toLowerCase().startsWith(start) },
    search: words(({ name }) => String(name), 're pet'),
  },
  listCategories: {
    name: { values: ['d'], passes: ({ name }, start) => String(name).toLowerCase().startsWith(start) },
  },
  listOrders: {
    petId: equals('petId', '2', '5', '9'),
    complete: equals('complete', 'true'),
    shipDateAfter: compares('shipDate', 1, '2026-03-05T00:00:00Z'),
    shipDateBefore: compares('shipDate', -1, '2026-03-15T00:00:00Z'),
    reference: equals('reference', 'R-1'),
    referencePrefix: {
      values: ['R-1'],
      passes: ({ reference }, start) => typeof reference === 'string' && reference.startsWith(start),
    },
    search: {
      values: ['r 1'],
      passes: ({ reference }) => typeof reference === 'string' && reference.startsWith('R-1'),
    },
    createdAfter: compares('createdAt', 1, early(instants)),
    createdBefore: compares('createdAt', -1, late(instants)),
  },
  listSales: {
    createdAfter: compares('at', 1, early(instants)),
    createdBefore: compares('at', -1, late(instants)),
    receipt: equals('receipt', '1'),
    petId: equals('petId', '4'),
  },
  listInventory: {
    petId: equals('petId', '2', '5', '9'),
    status: equals('status', 'available', 'sold'),
    quantityAtMost: { values: ['3'], passes: ({ quantity }, most) => Number(quantity) <= Number(most) },
    toReorder: {
      values: ['true'],
      passes: ({ quantity, reorderAt }) => reorderAt !== undefined && Number(quantity) <= Number(reorderAt),
    },
    search: words(({ petId }) => names.get(String(petId)) ?? '', 're pet'),
  },
  listSimilarSearches: { search: { values: ['re'], passes: () => false } },
  listEvents: {
    type: equals('type', 'petstore.pet.created', 'petstore.inventory.changed'),
    petId: { values: ['5'], passes: isAbout },
  },
  listAudit: {
    petId: { values: ['5'], passes: isAbout },
    keyId: equals('keyId', '2'),
    subject: equals('subject', 'pets/5'),
    since: {
      values: [early(instants)],
      passes: ({ at }, since) => Date.parse(String(at)) >= Date.parse(since),
    },
    until: {
      values: [late(instants)],
      passes: ({ at }, until) => Date.parse(String(at)) < Date.parse(until),
    },
  },
  listDeliveries: { state: equals('state', 'failed') },
})

/** The pairs of filters that are refused together, because no index serves them. */
const EXCLUDED: Readonly<Record<string, readonly string[]>> = {
  listPets: ['id search', 'name search'],
  listOrders: [
    'complete referencePrefix',
    'createdAfter petId',
    'createdAfter referencePrefix',
    'createdAfter search',
    'createdAfter shipDateAfter',
    'createdAfter shipDateBefore',
    'createdBefore petId',
    'createdBefore referencePrefix',
    'createdBefore search',
    'createdBefore shipDateAfter',
    'createdBefore shipDateBefore',
    'petId referencePrefix',
    'petId search',
    'reference search',
    'referencePrefix search',
    'referencePrefix shipDateAfter',
    'referencePrefix shipDateBefore',
    'search shipDateAfter',
    'search shipDateBefore',
  ],
  listInventory: ['petId search', 'status toReorder'],
}

/** Filters that select so few rows that all others go with them, except those that exclude these themselves. */
const LIFTING: Readonly<Record<string, readonly string[]>> = {
  listOrders: ['reference'],
  listInventory: ['petId', 'search'],
}

const lists: [string, Operation][] = Object.entries<Operation>(contract).filter(
  ([, { success }]) => 'list' in success,
)

test('each filter of each list has a model', () => {
  const declared = lists.flatMap(([id, { query = {} }]) =>
    Object.keys(query).flatMap(name => (OTHERS.includes(name) ? [] : [`${id} ${name}`])),
  )
  const modelled = Object.entries(models(new Map(), [])).flatMap(([id, filters]) =>
    Object.keys(filters).map(name => `${id} ${name}`),
  )
  expect(modelled.sort()).toEqual(declared.sort())
})

/** Fills a store with pets of every status and level, and orders of every kind. A second key makes some changes. */
async function fill(store: TestStore): Promise<void> {
  const { client } = store
  const till = await store.clientWith('orders:write', 'inventory:write')
  for (const name of ['Dogs', 'Cats', 'Ducks', 'Birds']) await client.createCategory({ body: { name } })
  for (let index = 0; index < 16; index++) {
    const name = `${['Red', 'Rex', 'Blue'][index % 3]} ${['Pet', 'Bird'][index % 2]} ${index}`
    const { data: pet } = await client.createPet({ body: { name, categoryId: BigInt(1 + (index % 3)) } })
    const reorderAt = index % 4 === 0 ? undefined : BigInt(index % 5)
    await till.setInventory({
      petId: pet.id,
      body: { quantity: BigInt(index % 6), ...(reorderAt && { reorderAt }) },
    })
    if (index % 7 === 3) await client.updatePet({ petId: pet.id, body: { status: 'pending' } })
  }
  const { data: items } = await client.listInventory({ limit: 100, status: ['available'] })
  for (let index = 0; index < 24; index++) {
    const { petId = 0n } = items.items[index % items.items.length] ?? {}
    await till.adjustInventory({ petId, body: { quantityChange: 1n } })
    const shipDate = index % 3 === 0 ? undefined : `2026-03-${String(1 + index).padStart(2, '0')}T12:00:00Z`
    const reference = ['R-1', 'R-12', 'R-2', undefined][index % 4]
    const body = {
      petId,
      complete: index % 2 === 0,
      ...(shipDate && { shipDate }),
      ...(reference && { reference }),
    }
    await till.placeOrder({ body })
  }
}

/** Returns the subsets of one, two and three names. */
function combinations(names: readonly string[]): string[][] {
  const pairs = names.flatMap((one, index) => names.slice(index + 1).map(two => [one, two]))
  const triples = pairs.flatMap(([one = '', two = '']) =>
    names.slice(names.indexOf(two) + 1).map(three => [one, two, three]),
  )
  return [...names.map(name => [name]), ...pairs, ...triples]
}

const Body = z.union([z.array(z.record(z.string(), z.unknown())), z.object({ errors: z.unknown() })])

/** Returns all items of a list, or the field errors of its refusal. */
async function read(
  store: TestStore,
  path: string,
  query: URLSearchParams,
): Promise<Item[] | { errors: unknown }> {
  const items: Item[] = []
  for (let url: string | undefined = `${store.base}${path}?${query}`; url !== undefined; ) {
    const response = await store.send('GET', url.slice(store.base.length))
    const body = Body.parse(JSON.parse(await response.text()))
    if (!Array.isArray(body)) return body
    items.push(...body)
    // A list of events always has a next page; an empty page is its end here, because few events exist.
    const isOver = path === '/events' && body.length === 0
    url = isOver ? undefined : /<([^>]*)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1]
  }
  return items
}

/** Returns all items of a list without filters. */
async function readAll(store: TestStore, path: string, isPaged = true): Promise<Item[]> {
  const items = await read(store, path, new URLSearchParams(isPaged ? { limit: '100' } : {}))
  if (!Array.isArray(items)) throw new Error(`${path} was refused`)
  return items
}

const keyOf = ({ id, position, petId }: Item): string => String(id ?? position ?? petId)

onEveryEngine(engine => {
  test('one, two and three filters of a list select what they mean, on all pages, or are refused by name', async () => {
    await using store = await openTestStore(engine)
    await fill(store)
    const pets = await readAll(store, '/pets')
    const names = new Map(pets.map(({ id, name }) => [String(id), String(name)]))
    const driven = lists.filter(([, { pathParameters, hidden }]) => !pathParameters && !hidden)
    for (const [id, { path, query = {} }] of driven) {
      const all = await readAll(store, path, query.limit !== undefined)
      const instants = all.map(item => String(item.createdAt ?? item.at)).sort()
      const filters = models(names, instants)[id] ?? {}
      const refused: string[] = []
      let selected = 0
      for (const chosen of combinations(Object.keys(filters))) {
        const sent = new URLSearchParams({ limit: LIMIT })
        for (const name of chosen)
          for (const value of valuesOf(query[name], filters[name])) sent.append(name, value)
        const found = await read(store, path, sent)
        const title = `${path}?${sent}`
        const isExcluded = refused.some(pair => isWithin(pair, chosen, LIFTING[id]))
        if (!Array.isArray(found) || isExcluded) {
          expect([title, found]).toEqual([
            title,
            { errors: [expect.objectContaining({ code: 'conflicting' })] },
          ])
          if (!isExcluded) refused.push(chosen.toSorted().join(' '))
          continue
        }
        const meant = all.filter(item =>
          chosen.every(name =>
            valuesOf(query[name], filters[name]).some(value => filters[name]?.passes(item, value)),
          ),
        )
        expect([title, found.map(keyOf).toSorted()]).toEqual([title, meant.map(keyOf).toSorted()])
        selected += meant.length
      }
      expect([id, refused.sort()]).toEqual([id, [...(EXCLUDED[id] ?? [])].sort()])
      if (Object.keys(filters).length > 0) expect([id, selected > 0]).toEqual([id, true])
    }
  }, 120_000)
})

/** Returns whether a pair is among the chosen filters, none of which lifts its exclusion. */
function isWithin(pair: string, chosen: readonly string[], lifting: readonly string[] = []): boolean {
  const names = pair.split(' ')
  const isLifted = lifting.some(name => chosen.includes(name) && !names.includes(name))
  return !isLifted && names.every(name => chosen.includes(name))
}

/** Returns the values of a filter to send: all of a repeated one. */
function valuesOf(parameter: Parameter | undefined, model: FilterModel | undefined): readonly string[] {
  const values = model?.values ?? []
  return parameter && isRepeated(parameter) ? values : values.slice(0, 1)
}
