import type { Operation } from '../../src/contract/operation.ts'
import { contract, type OperationId } from '../../src/shop/registry/operations.ts'
import { makePet } from '../support/shop.ts'
import type { TestStore } from '../support/store.ts'
import { eventSuccesses, refusedEventRequests } from './conformance-events.ts'
import type { CallerRequest, RequestSetup } from './request-setup.ts'

const json = (path: string, body: unknown): CallerRequest => ({ path, body: JSON.stringify(body) })

async function newCategoryId({ client }: TestStore): Promise<number> {
  const { data } = await client.createCategory({ body: { name: 'Any' } })
  return Number(data.id)
}

async function petPath(store: TestStore, setup: Parameters<typeof makePet>[1] = {}): Promise<string> {
  return `/pets/${(await makePet(store.client, setup)).petId}`
}

async function stockPath(store: TestStore, setup: Parameters<typeof makePet>[1] = {}): Promise<string> {
  return `/store/inventory/${(await makePet(store.client, setup)).petId}`
}

async function openOrderPath({ client }: TestStore, onHold = false): Promise<string> {
  return `/store/orders/${(await makePet(client, { quantity: 5n, reserved: 2n, onHold })).orderId}`
}

async function completeOrderPath(store: TestStore): Promise<string> {
  const path = await openOrderPath(store)
  await store.send('PATCH', path, { body: '{"complete":true}' })
  return path
}

async function orderPathOfDeletedPet(store: TestStore): Promise<string> {
  const path = await completeOrderPath(store)
  const { data } = await store.client.getOrder({ orderId: BigInt(path.split('/').at(-1) ?? '') })
  await store.client.deletePet({ petId: data.petId ?? 0n })
  return path
}

/** For each operation that needs more than `successOf`, a function that prepares a successful request. */
const successes: Readonly<Partial<Record<OperationId, RequestSetup>>> = {
  ...eventSuccesses,
  listPets: async store => {
    await makePet(store.client)
    return { path: '/pets?include=stock&status=available&status=pending' }
  },
  createPet: async store => json('/pets', { name: 'Juniper', categoryId: await newCategoryId(store) }),
  updatePet: async store => json(await petPath(store), { name: 'Other' }),
  deletePet: async store => ({ path: await petPath(store) }),
  createCategory: () => json('/categories', { name: 'Ferrets' }),
  updateCategory: async store => json(`/categories/${await newCategoryId(store)}`, { description: 'Some.' }),
  deleteCategory: async store => ({ path: `/categories/${await newCategoryId(store)}` }),
  listOrders: () => ({ path: '/store/orders?reference=R-2026-0042' }),
  placeOrder: async ({ client }) =>
    json('/store/orders', {
      petId: Number((await makePet(client, { quantity: 9n })).petId),
      reference: 'R-2026-0042',
    }),
  updateOrder: async store => json(await openOrderPath(store), { complete: true }),
  cancelOrder: async store => ({ path: await openOrderPath(store) }),
  returnOrder: async store => json(`${await completeOrderPath(store)}/returns`, { quantity: 1 }),
  recordSale: async ({ client }) =>
    json('/store/sales', { lines: [{ petId: Number((await makePet(client, { quantity: 9n })).petId) }] }),
  returnSale: async store =>
    json(`${(await completeOrderPath(store)).replace('orders', 'sales')}/returns`, { note: 'All back.' }),
  listSales: async store => {
    await completeOrderPath(store)
    return { path: '/store/sales?sort=-at' }
  },
  setInventory: async store => json(await stockPath(store), { quantity: 12 }),
  adjustInventory: async store =>
    json(`${await stockPath(store)}/adjustments`, { quantityChange: 4, note: 'Came.' }),
  createKey: () =>
    json('/keys', { name: 'till 2', scopes: ['orders:read'], expiresAt: '2100-01-01T00:00:00Z' }),
  revokeKey: async ({ client }) => {
    const { data } = await client.createKey({ body: { name: 'short', scopes: ['orders:read'] } })
    return { path: `/keys/${data.id}` }
  },
  getError: () => ({ path: '/errors/pet_not_found' }),
}

/** Returns a successful request for an operation, and prepares the store for it; undefined for a write without one. */
export async function successOf(id: OperationId, store: TestStore): Promise<CallerRequest | undefined> {
  const success = successes[id]
  if (success) return await success(store)
  if (contract[id].method !== 'GET') return undefined
  return anyRequest(id, { ...(await makePet(store.client, { quantity: 5n, reserved: 2n })) })
}

/** Returns a request of an operation with the examples of what is required. Every id that is not given is 1. */
export function anyRequest(id: OperationId, ids: Readonly<Record<string, bigint>> = {}): CallerRequest {
  const operation: Operation = contract[id]
  const required = Object.entries(operation.query ?? {}).filter(([, parameter]) => parameter.required)
  const query = required.map(([name, { example }]) => `${name}=${encodeURIComponent(String(example))}`)
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(ids[name] ?? 1))
  return {
    path: query.length > 0 ? `${path}?${query.join('&')}` : path,
    ...(operation.preview && { headers: { 'Petstore-Preview': operation.preview } }),
    ...(operation.body && { body: JSON.stringify(operation.body.meta()?.example) }),
  }
}

const onHold = { quantity: 5n, onHold: true }
const reserved = { quantity: 5n, reserved: 3n }

/** Returns the barcode of a pet with the name of the example. */
async function takenBarcode({ client }: TestStore): Promise<string> {
  const { categoryId } = await makePet(client)
  const barcode = String(categoryId)
  await client.createPet({ body: { name: 'Biscuit (Beagle)', categoryId, barcode } })
  return barcode
}

/** Valid requests that are refused because of the state of the store. */
export const refusedByTheShop: readonly (readonly [OperationId, RequestSetup])[] = [
  ['createPet', () => json('/pets', { name: 'Juniper', categoryId: 404404 })],
  ['updatePet', async store => json(await petPath(store), { categoryId: 404404 })],
  [
    'createPet',
    async store => json('/pets', { name: 'B', categoryId: 1, barcode: await takenBarcode(store) }),
  ],
  ['updatePet', async store => json(await petPath(store), { barcode: await takenBarcode(store) })],
  ['updatePet', async store => json(await petPath(store, { quantity: 0n }), { status: 'available' })],
  ['deletePet', async store => ({ path: await petPath(store, reserved) })],
  ['deleteCategory', async ({ client }) => ({ path: `/categories/${(await makePet(client)).categoryId}` })],
  ['placeOrder', () => json('/store/orders', { petId: 404404 })],
  [
    'placeOrder',
    async ({ client }) => json('/store/orders', { petId: Number((await makePet(client, onHold)).petId) }),
  ],
  [
    'placeOrder',
    async ({ client }) =>
      json('/store/orders', { petId: Number((await makePet(client, reserved)).petId), quantity: 3 }),
  ],
  ['updateOrder', async store => json(await completeOrderPath(store), { quantity: 3 })],
  ['updateOrder', async store => json(await openOrderPath(store, true), { quantity: 3 })],
  ['updateOrder', async store => json(await openOrderPath(store), { quantity: 9 })],
  [
    'returnOrder',
    async store => {
      const path = await completeOrderPath(store)
      const { data } = await store.client.getOrder({ orderId: BigInt(path.split('/').at(-1) ?? '') })
      await store.client.setInventory({ petId: data.petId ?? 0n, body: { quantity: 1_000_000_000n } })
      return json(`${path}/returns`, {})
    },
  ],
  ['returnOrder', async store => json(`${await openOrderPath(store)}/returns`, {})],
  ['returnOrder', async store => json(`${await completeOrderPath(store)}/returns`, { quantity: 3 })],
  ['returnOrder', async store => json(`${await orderPathOfDeletedPet(store)}/returns`, {})],
  ['recordSale', () => json('/store/sales', { lines: [{ petId: 404404 }] })],
  [
    'recordSale',
    async ({ client }) =>
      json('/store/sales', { lines: [{ petId: Number((await makePet(client, onHold)).petId) }] }),
  ],
  [
    'recordSale',
    async ({ client }) =>
      json('/store/sales', {
        lines: [{ petId: Number((await makePet(client, reserved)).petId), quantity: 3 }],
      }),
  ],
  [
    'returnSale',
    async store => {
      const path = (await completeOrderPath(store)).replace('orders', 'sales')
      await store.send('POST', `${path}/returns`, { body: '{}' })
      return json(`${path}/returns`, {})
    },
  ],
  [
    'returnSale',
    async store => {
      const path = await completeOrderPath(store)
      const { data } = await store.client.getOrder({ orderId: BigInt(path.split('/').at(-1) ?? '') })
      await store.client.setInventory({ petId: data.petId ?? 0n, body: { quantity: 1_000_000_000n } })
      return json(`${path.replace('orders', 'sales')}/returns`, {})
    },
  ],
  [
    'returnSale',
    async store => json(`${(await orderPathOfDeletedPet(store)).replace('orders', 'sales')}/returns`, {}),
  ],
  ['cancelOrder', async store => ({ path: await completeOrderPath(store) })],
  ['setInventory', async store => json(await stockPath(store, reserved), { quantity: 1 })],
  [
    'adjustInventory',
    async store => json(`${await stockPath(store, reserved)}/adjustments`, { quantityChange: -4 }),
  ],
  [
    'adjustInventory',
    async store => json(`${await stockPath(store)}/adjustments`, { quantityChange: 1_000_000_000 }),
  ],
  // The key of the test store is its only admin key.
  ['revokeKey', async ({ client }) => ({ path: `/keys/${(await client.getCurrentKey({})).data.id}` })],
  ...refusedEventRequests,
]

const withQuery = (request: CallerRequest, pair: string): CallerRequest => ({
  ...request,
  path: `${request.path}${request.path.includes('?') ? '&' : '?'}${pair}`,
})

const invalidParameter = (operation: Operation, request: CallerRequest): CallerRequest => {
  if (/\/\d+/.test(request.path)) return { ...request, path: request.path.replace(/\/\d+/, '/abc') }
  const [name = 'limit'] = Object.keys(operation.query ?? {}).sort((one, _) => (one === 'limit' ? -1 : 0))
  if (operation.query) return withQuery(request, `${name}=abc`)
  const field = operation.method === 'GET' ? 'If-None-Match' : 'If-Match'
  return { ...request, headers: { ...request.headers, [field]: 'no tag' } }
}

/** Functions that make one mistake in a valid request. They return undefined if the mistake is impossible in it. */
const mistakes: readonly ((operation: Operation, request: CallerRequest) => CallerRequest | undefined)[] = [
  invalidParameter,
  (_, request) => withQuery(request, 'colour=red'),
  (_, request) => withQuery(request, 'x'.repeat(8192)),
  (operation, request) => (operation.query ? withQuery(request, 'cursor=abc') : undefined),
  ({ errors = [] }, request) =>
    errors.some(({ code }) => code === 'missing_parameter')
      ? { ...request, path: request.path.replace(/\?.*/, '') }
      : undefined,
  (_, request) => ({ ...request, headers: { ...request.headers, Accept: 'text/html' } }),
  ({ scope }, request) => ({ ...request, authorization: scope === 'public' ? 'Basic eDp5' : null }),
  ({ preview }, request) => (preview ? { path: request.path } : undefined),
  ({ method }, request) =>
    method === 'GET'
      ? undefined
      : { ...request, headers: { ...request.headers, 'Idempotency-Key': 'two words' } },
  (_, request) =>
    /\/\d+/.test(request.path) ? { ...request, path: request.path.replace(/\/\d+/, '/404404') } : undefined,
  ({ path }, request) => (path.endsWith('{code}') ? { ...request, path: '/errors/no_such_code' } : undefined),
  ({ resourceHasEtag, method, success }, request) =>
    (resourceHasEtag || 'list' in success) && method !== 'POST'
      ? { ...request, headers: { ...request.headers, 'If-Match': '"AAAAAAAAAAAAAAAAAAAAAA"' } }
      : undefined,
]

/** Functions that make one mistake in a valid request with a body. */
const bodyMistakes: readonly ((request: CallerRequest, body: string) => CallerRequest)[] = [
  request => ({ ...request, body: '{"name": ' }),
  (request, body) => ({ ...request, body: body.replace('{', '{"colour":"red",') }),
  request => ({ ...request, body: `"${'x'.repeat(1024 * 1024)}"` }),
  request => ({ ...request, headers: { ...request.headers, 'Content-Type': 'text/plain' } }),
]

/** Returns one request for each mistake that is possible in the given request. */
export function requestsWithMistakes(id: OperationId, request: CallerRequest): CallerRequest[] {
  const { body } = request
  return [
    ...mistakes.flatMap(mistake => mistake(contract[id], request) ?? []),
    ...(body === undefined ? [] : bodyMistakes.map(mistake => mistake(request, body))),
  ]
}
