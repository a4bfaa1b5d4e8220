import { expect, test } from 'bun:test'
import { locationOf } from '../../src/contract/operation.ts'
import { contract } from '../../src/shop/registry/operations.ts'
import { type EngineName, testedEngines } from '../support/engines.ts'
import { waitForPositions } from '../support/received-events.ts'
import { onEveryEngine, openTestStore, type TestStore } from '../support/store.ts'

/** Ids in ascending order. Some are neighbours that a JavaScript number cannot distinguish, or the limits of int64. */
const IDS = [
  -9223372036854775808n,
  -9223372036854775807n,
  -9007199254740993n,
  -9007199254740992n,
  -1n,
  0n,
  9007199254740991n,
  9007199254740992n,
  9007199254740993n,
  4611686018427387903n,
  4611686018427387904n,
  4611686018427387905n,
  9223372036854775806n,
  9223372036854775807n,
]
/** Ids that no row has, each next to one of IDS. As a JavaScript number, each of the last two equals one of IDS. */
const ABSENT = [-9007199254740994n, 9007199254740994n, 4611686018427387906n, 9223372036854775805n]
/** 2^53 and 2^53 + 1, which a JavaScript number cannot distinguish. */
const EVEN = 9007199254740992n
const ODD = 9007199254740993n

onEveryEngine(engine => {
  test('each id finds its own pet, category, order and stock, and is sent with its exact digits', async () => {
    await using store = await openStoreWith(engine, IDS)
    for (const id of IDS) {
      expect(await textOf(store, `/pets/${id}`)).toBe(petText(id))
      expect(await textOf(store, `/categories/${id}`)).toBe(categoryText(id))
      expect(await textOf(store, `/store/orders/${id}`)).toBe(orderText(id))
      expect(await textOf(store, `/store/inventory/${id}`)).toBe(itemText(id))
      expect((await store.client.getPet({ petId: id })).data.id).toBe(id)
    }
  })

  test('an absent id next to an existing id gets 404, and the message has the exact absent id', async () => {
    await using store = await openStoreWith(engine, IDS)
    for (const id of ABSENT) {
      for (const path of ['/pets/', '/categories/', '/store/orders/', '/store/inventory/']) {
        const response = await store.send('GET', `${path}${id}`)
        expect([response.status, /-?\d{10,}/.exec(await response.text())?.[0]]).toEqual([404, String(id)])
      }
      expect(await textOf(store, `/pets?id=${id}&categoryId=${id}`)).toBe('[]')
    }
  })

  test('a pet is created in the category that it names, never in the neighbouring category', async () => {
    await using store = await openStoreWith(engine, [EVEN])
    const body = `{"name":"Stray","categoryId":${ODD}}`
    const refused = await store.send('POST', '/pets', { body })
    expect(refused.status).toBe(422)
    expect(await refused.text()).toContain(`"message":"Category ${ODD} does not exist."`)
    await putRows(store, [ODD])
    const created = await store.send('POST', '/pets', { body })
    expect(created.status).toBe(201)
    const pet = new RegExp(`^{"id":[1-9],"name":"Stray","categoryId":${ODD},"status":"available"}$`)
    expect(await created.text()).toMatch(pet)
    expect(await store.database('SELECT id, pet_count FROM category ORDER BY id')).toEqual([
      { id: EVEN, pet_count: 1n },
      { id: ODD, pet_count: 2n },
    ])
    await waitForPositions(store)
    const [event] = await store.database(`SELECT data FROM event WHERE type LIKE '%pet.created'`)
    expect(event?.data).toContain(`"categoryId":${ODD}`)
  })

  test('an order reserves units of the pet that it names, never units of the neighbouring pet', async () => {
    await using store = await openStoreWith(engine, [EVEN])
    const body = `{"petId":${ODD},"quantity":2}`
    const refused = await store.send('POST', '/store/orders', { body })
    expect(refused.status).toBe(422)
    expect(await refused.text()).toContain(`"message":"Pet ${ODD} does not exist."`)
    await putRows(store, [ODD])
    const created = await store.send('POST', '/store/orders', { body })
    const order = await created.text()
    // A refused command may have used up an id.
    expect(order).toMatch(
      new RegExp(
        `^{"id":[1-9],"petId":${ODD},"quantity":2,"complete":false,"createdAt":"[^"]+","petName":"Twin"}$`,
      ),
    )
    expect(await store.database('SELECT id, reserved FROM pet ORDER BY id')).toEqual([
      { id: EVEN, reserved: 1n },
      { id: ODD, reserved: 3n },
    ])
    expect(await textOf(store, `/store/orders?petId=${ODD}`)).toBe(`[${order},${orderText(ODD)}]`)
    expect(await textOf(store, `/store/orders?petId=${EVEN}`)).toBe(`[${orderText(EVEN)}]`)
  })

  test('a change or a deletion affects only the resource with its id', async () => {
    await using store = await openStoreWith(engine, [EVEN, ODD])
    const other = await store.send('PATCH', `/pets/${ODD}`, { body: `{"id":${EVEN}}` })
    expect(other.status).toBe(422)
    expect(await other.text()).toContain(`id is ${ODD} and cannot be changed.`)
    const patched = await store.send('PATCH', `/pets/${ODD}`, { body: `{"id":${ODD},"name":"Crumb"}` })
    expect(await patched.text()).toBe(petText(ODD).replace('Twin', 'Crumb'))
    const patchedOrder = await store.send('PATCH', `/store/orders/${ODD}`, { body: `{"petId":${EVEN}}` })
    expect(await patchedOrder.text()).toContain(`petId is ${ODD} and cannot be changed.`)
    const counted = await store.send('PUT', `/store/inventory/${ODD}`, { body: '{"quantity":9}' })
    expect(await counted.text()).toBe(itemText(ODD).replace('"quantity":5', '"quantity":9'))
    expect((await store.send('DELETE', `/store/orders/${ODD}`)).status).toBe(204)
    expect((await store.send('DELETE', `/pets/${ODD}`)).status).toBe(204)
    expect((await store.send('DELETE', `/categories/${ODD}`)).status).toBe(204)
    expect(await textOf(store, `/pets/${EVEN}`)).toBe(petText(EVEN))
    expect(await textOf(store, `/categories/${EVEN}`)).toBe(categoryText(EVEN))
    expect(await textOf(store, `/store/orders/${EVEN}`)).toBe(orderText(EVEN))
    expect(await textOf(store, `/store/inventory/${EVEN}`)).toBe(itemText(EVEN))
  })

  test('a filter by id, category or pet lists exactly the rows that it names', async () => {
    await using store = await openStoreWith(engine, IDS)
    for (const id of IDS) {
      expect(await textOf(store, `/pets?id=${id}`)).toBe(`[${petText(id)}]`)
      expect(await textOf(store, `/pets?categoryId=${id}`)).toBe(`[${petText(id)}]`)
      expect(await textOf(store, `/store/orders?petId=${id}`)).toBe(`[${orderText(id)}]`)
      expect(await textOf(store, `/store/inventory?petId=${id}`)).toBe(`[${itemText(id)}]`)
      expect(await textOf(store, `/store/inventory/${id}/movements`)).toBe(`[${movementText(id)}]`)
    }
    const named = [...IDS, ...ABSENT].map(id => `id=${id}`).join('&')
    expect(await textOf(store, `/pets?${named}`)).toBe(`[${IDS.map(petText).join()}]`)
  })

  test('pages of one row contain each id once, in both directions and in different sort orders', async () => {
    await using store = await openStoreWith(engine, IDS)
    const downwards = IDS.toReversed()
    for (const [sort, ids] of [
      ['id', IDS],
      ['-id', downwards],
    ] as const) {
      expect(await pagesOf(store, `/pets?limit=1&sort=${sort}`)).toEqual(ids.map(petText))
      expect(await pagesOf(store, `/categories?limit=1&sort=${sort}`)).toEqual(ids.map(categoryText))
      expect(await pagesOf(store, `/store/orders?limit=1&sort=${sort}`)).toEqual(ids.map(orderText))
      expect(await pagesOf(store, `/store/inventory?limit=1&sort=${sort}`)).toEqual(ids.map(itemText))
    }
    expect(await pagesOf(store, '/pets?limit=1&sort=name')).toEqual(IDS.map(petText))
    expect(await pagesOf(store, '/pets?limit=1&sort=-name&name=twin')).toEqual(downwards.map(petText))
    expect(await pagesOf(store, '/pets?limit=1&status=available&sort=-id')).toEqual(downwards.map(petText))
    expect(await pagesOf(store, '/store/inventory?limit=1&sort=quantity')).toEqual(IDS.map(itemText))
    expect(await pagesOf(store, '/store/orders?limit=1&complete=false')).toEqual(IDS.map(orderText))
  })

  test('an id in Link is written with its exact digits', async () => {
    await using store = await openStoreWith(engine, [EVEN, ODD])
    const read = await store.send('GET', `/pets/${ODD}`)
    expect(read.headers.get('link')).toContain(`<${store.base}/pets?id=${ODD}>; rel="successor-version"`)
    const list = await store.send('GET', `/pets?limit=1&categoryId=${EVEN}&categoryId=${ODD}`)
    expect(list.headers.get('link')).toContain(`/pets?limit=1&categoryId=${EVEN}&categoryId=${ODD}&cursor=`)
  })

  test('the ETag of a pet does not match the pet with the next id', async () => {
    await using store = await openStoreWith(engine, [EVEN, ODD])
    const { etag = '' } = await store.client.getPet({ petId: EVEN })
    const headers = { 'If-Match': etag }
    expect((await store.send('DELETE', `/pets/${ODD}`, { headers })).status).toBe(412)
    expect((await store.send('PATCH', `/pets/${EVEN}`, { headers, body: '{}' })).status).toBe(200)
  })
})

// This test is only for PostgreSQL: the SQLite writer keeps its counters in memory, where a test cannot set them.
test.skipIf(!testedEngines.includes('postgres'))(
  'a new resource with the id 2^53 - 1 has the exact digits of the id in its body and its Location',
  async () => {
    await using store = await openStoreWith('postgres', [ODD])
    await store.database('UPDATE counter SET last = 9007199254740990 RETURNING noun')
    const body = `{"name":"Last","categoryId":${ODD}}`
    const pet = await store.send('POST', '/pets', { body })
    expect(pet.headers.get('location')).toBe(`${store.base}/pets/9007199254740991`)
    expect(await pet.text()).toContain('{"id":9007199254740991,')
    const order = await store.send('POST', '/store/orders', { body: `{"petId":${ODD}}` })
    expect(order.headers.get('location')).toBe(`${store.base}/store/orders/9007199254740991`)
  },
)

test('the Location of a resource with an id above 2^53 has the exact digits of the id', () => {
  const id = ODD
  expect(locationOf(contract.createPet.location, { id })).toBe(`/pets/${ODD}`)
  expect(locationOf(contract.placeOrder.location, { id })).toBe(`/store/orders/${ODD}`)
})

async function openStoreWith(engine: EngineName, ids: readonly bigint[]): Promise<TestStore> {
  const store = await openTestStore(engine)
  await putRows(store, ids)
  return store
}

/** Inserts for each id a category, a pet in it, an open order of the pet, and a movement, all with this id. */
async function putRows({ database }: TestStore, ids: readonly bigint[]): Promise<void> {
  const at = `'2026-11-21T09:30:00.000Z'`
  const rows = (row: (id: bigint) => string): string => ids.map(id => `(${row(id)})`).join(', ')
  await database(`INSERT INTO category (id, name, name_key, description, pet_count, version, created_at,
    updated_at)
    VALUES ${rows(id => `${id}, 'Twins', 'twins', NULL, 1, 1, ${at}, ${at}`)} RETURNING id`)
  await database(`INSERT INTO pet (id, name, name_key, category_id, on_hold, quantity, reserved, status,
    version, created_at, updated_at)
    VALUES ${rows(id => `${id}, 'Twin', 'twin', ${id}, 0, 5, 1, 'available', 1, ${at}, ${at}`)} RETURNING id`)
  await database(`INSERT INTO orders (id, pet_id, quantity, ship_date, complete, version, created_at,
    updated_at)
    VALUES ${rows(id => `${id}, ${id}, 1, NULL, 0, 1, ${at}, ${at}`)} RETURNING id`)
  await database(`INSERT INTO movement (pet_id, version, id, quantity_change, reserved_change, quantity,
    reserved, reason, note, order_id, at)
    VALUES ${rows(id => `${id}, 1, ${id}, 5, 1, 5, 1, 'order', NULL, ${id}, ${at}`)} RETURNING id`)
}

async function textOf(store: TestStore, path: string): Promise<string> {
  const response = await store.send('GET', path)
  expect(response.status).toBe(200)
  return response.text()
}

/** Returns the row of each page, following `next` to the end. The pages have one row each. */
async function pagesOf(store: TestStore, path: string): Promise<string[]> {
  const pages: string[] = []
  let next: string | undefined = store.base + path
  while (next !== undefined && pages.length <= IDS.length) {
    const response = await store.send('GET', next.slice(store.base.length))
    pages.push((await response.text()).slice(1, -1))
    next = /<([^>]*)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1]
  }
  return pages
}

function petText(id: bigint): string {
  return `{"id":${id},"name":"Twin","categoryId":${id},"status":"available"}`
}

function categoryText(id: bigint): string {
  return `{"id":${id},"name":"Twins"}`
}

function orderText(id: bigint): string {
  return `{"id":${id},"petId":${id},"quantity":1,"complete":false,"createdAt":"2026-11-21T09:30:00Z"}`
}

function itemText(id: bigint): string {
  return `{"petId":${id},"quantity":5,"status":"available","reserved":1}`
}

function movementText(id: bigint): string {
  const numbers = '"quantityChange":5,"reservedChange":1,"quantity":5,"reserved":1'
  const rest = `"reason":"order","orderId":${id},"at":"2026-11-21T09:30:00Z"`
  return `{"id":${id},"petId":${id},${numbers},${rest}}`
}
