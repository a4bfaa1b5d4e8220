import { beforeAll, describe, expect, test } from 'bun:test'
import type { Operation } from '../../src/contract/operation.ts'
import { isRepeated } from '../../src/contract/parameter.ts'
import { contract } from '../../src/shop/registry/operations.ts'
import { importCategories } from '../support/busy-shop.ts'
import { sharedStore } from '../support/shop.ts'
import { onEveryEngine } from '../support/store.ts'

/** More rows than the default limit of a list. */
const PETS = 30

/** For each parameter that decides which rows are listed: two queries. The first one matches at least two rows. */
type Queries = Readonly<Record<string, readonly [string, string]>>

/** Each list with a cursor and such parameters. */
const queriesOf: Readonly<Record<string, Queries>> = {
  listPets: {
    id: ['id=1&id=2', 'id=1'],
    status: ['status=available', 'status=sold'],
    categoryId: ['categoryId=1', 'categoryId=2'],
    name: ['name=pet', 'name=cat'],
    search: ['search=pet', 'search=pe'],
    sort: ['sort=name', 'sort=-name'],
  },
  listCategories: { name: ['name=c', 'name=d'], sort: ['sort=id', 'sort=-id'] },
  listInventory: {
    petId: ['petId=1&petId=2', 'petId=1'],
    status: ['status=available', 'status=sold'],
    quantityAtMost: ['quantityAtMost=50', 'quantityAtMost=49'],
    toReorder: ['toReorder=true', 'toReorder=false'],
    search: ['search=pet', 'search=pe'],
    sort: ['sort=quantity', 'sort=-quantity'],
  },
  listMovements: { sort: ['sort=id', 'sort=-id'] },
  listOrders: {
    petId: ['petId=1', 'petId=2'],
    complete: ['complete=true', 'complete=false'],
    shipDateAfter: ['shipDateAfter=2027-01-01T00:00:00Z', 'shipDateAfter=2027-01-02T00:00:00Z'],
    shipDateBefore: ['shipDateBefore=2027-03-01T00:00:00Z', 'shipDateBefore=2027-03-02T00:00:00Z'],
    reference: ['reference=R-1', 'reference=r-1'],
    referencePrefix: ['referencePrefix=R-', 'referencePrefix=R'],
    search: ['search=r', 'search=1'],
    createdAfter: ['createdAfter=2020-01-01T00:00:00Z', 'createdAfter=2020-01-02T00:00:00Z'],
    createdBefore: ['createdBefore=2100-01-01T00:00:00Z', 'createdBefore=2100-01-02T00:00:00Z'],
    sort: ['sort=shipDate', 'sort=-shipDate'],
  },
  listSales: {
    createdAfter: ['createdAfter=2020-01-01T00:00:00Z', 'createdAfter=2020-01-02T00:00:00Z'],
    createdBefore: ['createdBefore=2100-01-01T00:00:00Z', 'createdBefore=2100-01-02T00:00:00Z'],
    receipt: ['receipt=1', 'receipt=2'],
    petId: ['petId=1', 'petId=2'],
    sort: ['sort=at', 'sort=-at'],
  },
  listAudit: {
    petId: ['petId=1', 'petId=2'],
    keyId: ['keyId=1', 'keyId=2'],
    subject: ['subject=pets/1', 'subject=pets/2'],
    since: ['since=2020-01-01', 'since=2020-01-02'],
    until: ['until=2100-01-01', 'until=2100-01-02'],
  },
  listDeliveries: { state: ['state=delivered', 'state=failed'], sort: ['sort=id', 'sort=-id'] },
}

const operations: readonly (readonly [string, Operation])[] = Object.entries(contract)
const paged = operations.filter(([, { query = {} }]) => 'cursor' in query)

/** Returns the path of a list, below the resource with an id. The list below 1 has at least two rows. */
const pathOf = ({ path }: Operation, id: number): string => path.replaceAll(/\{\w+\}/g, String(id))

test('each parameter that decides on the rows of a list with a cursor has two queries in queriesOf', () => {
  const ignored = ['limit', 'cursor', 'include']
  const namesOf = (id: string, all: object): string[] =>
    Object.keys(all).flatMap(name => (ignored.includes(name) ? [] : [`${id} ${name}`]))
  expect(
    Object.entries(queriesOf)
      .flatMap(([id, queries]) => namesOf(id, queries))
      .sort(),
  ).toEqual(paged.flatMap(([id, { query = {} }]) => namesOf(id, query)).sort())
})

onEveryEngine(engine => {
  const store = sharedStore(engine)

  beforeAll(async () => {
    const { client } = store()
    await importCategories(client, 3, '', 'Category')
    for (let index = 1; index <= PETS; index++)
      await client.createPet({ body: { name: `Pet ${index}`, categoryId: 1n } })
    for (const name of ['Pet A', 'Pet B']) await client.updatePet({ petId: 1n, body: { name } })
    await client.updatePet({ petId: 9n, body: { barcode: 'pet' } })
    await client.setInventory({ petId: 1n, body: { quantity: 20n } })
    for (const petId of [2n, 3n]) await client.setInventory({ petId, body: { quantity: 1n, reorderAt: 1n } })
    for (const shipDate of ['2027-02-01T00:00:00Z', '2027-02-02T00:00:00Z', '2027-02-03T00:00:00Z'])
      await client.placeOrder({ body: { petId: 1n, complete: true, shipDate, reference: 'R-1' } })
    await client.returnOrder({ orderId: 1n, body: {} })
    await client.createKey({ body: { name: 'Till', scopes: ['orders:read'] } })
    for (const path of ['one', 'two'])
      await client.createWebhook({
        body: { url: `http://127.0.0.1:9/${path}`, types: ['petstore.pet.deleted'] },
      })
    const at = new Date().toISOString()
    for (const id of [1, 2]) {
      await store().database(`INSERT INTO delivery (id, webhook_id, position, event_id, event_type, state, attempts,
          cycle_attempts, created_at, updated_at)
        VALUES (${id}, 1, ${id}, ${id}, 'petstore.pet.created', 'delivered', 1, 1, '${at}', '${at}') RETURNING id`)
    }
  })

  async function get(path: string, ...queries: string[]) {
    const query = queries.filter(text => text !== '').join('&')
    const response = await store().send('GET', query === '' ? path : `${path}?${query}`)
    const text = await response.text()
    const code = response.status === 200 ? '' : ` ${/"code": ?"(\w+)"/.exec(text)?.[1]}`
    const next = /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1]
    const cursor = next === undefined ? undefined : new URL(next).searchParams.get('cursor')
    return { outcome: `${response.status}${code}`, text, cursor }
  }

  /** Returns the query with the cursor of the second page. */
  async function secondPage(path: string, query: string): Promise<string> {
    const { outcome, cursor } = await get(path, query, 'limit=1')
    if (!cursor) throw new Error(`${path}?${query} has no second page: ${outcome}`)
    return `cursor=${cursor}`
  }

  describe('cursors', () => {
    for (const [id, operation] of paged) {
      const [path, otherPath] = [pathOf(operation, 1), pathOf(operation, 2)]

      test(`a cursor of ${id} continues only the same list, whichever of its parameters differs`, async () => {
        const wrong: string[] = []
        const check = async (name: string, expected: string, of: string, ...query: string[]) => {
          const { outcome } = await get(of, ...query)
          if (outcome !== expected) wrong.push(`${name}: ${outcome}`)
        }
        const bare = await secondPage(path, '')
        await check('none', '200', path, bare)
        await check('a text', '400 invalid_cursor', path, 'cursor=nonsense')
        if (otherPath !== path) await check('path', '400 invalid_cursor', otherPath, bare)
        for (const [name, [query, other]] of Object.entries(queriesOf[id] ?? {})) {
          const cursor = await secondPage(path, query)
          await check(`${name} is the same`, '200', path, query, cursor)
          await check(`${name} differs`, '400 invalid_cursor', path, other, cursor)
          // Without `sort`, the default order can be the requested one.
          if (name !== 'sort') await check(`${name} is missing`, '400 invalid_cursor', path, cursor)
          if (name !== 'sort') await check(`${name} is added`, '400 invalid_cursor', path, query, bare)
        }
        for (const [otherId, other] of paged)
          if (otherId !== id) await check(otherId, '400 invalid_cursor', pathOf(other, 1), bare)
        expect(wrong).toEqual([])
      })

      test(`an empty cursor of ${id} is the first page`, async () => {
        for (const query of ['', ...Object.values(queriesOf[id] ?? {}).flat()]) {
          const first = await get(path, query, 'limit=2')
          expect([query, await get(path, query, 'limit=2', 'cursor=')]).toEqual([query, first])
          expect(first.outcome).toBe('200')
        }
      })
    }
  })

  test('a list of up to a hundred given ids needs no limit if its description says so', async () => {
    const found: string[] = []
    for (const [id, { path, query = {} }] of paged) {
      for (const [name, parameter] of Object.entries(query)) {
        if (!isRepeated(parameter) || !parameter.description.includes('the default limit is 100')) continue
        const ids = Array.from({ length: PETS }, (_, index) => `${name}=${index + 1}`)
        const { text, cursor } = await get(path, ...ids)
        const items: unknown = JSON.parse(text)
        found.push(`${id} ${name} ${Array.isArray(items) ? items.length : text} ${cursor}`)
      }
    }
    expect(found).toEqual([`listPets id ${PETS} undefined`, `listInventory petId ${PETS} undefined`])
  })
})
