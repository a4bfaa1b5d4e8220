import type { ServerProcess } from './child.ts'
import type { VariedRead } from './generate.ts'
import {
  CATEGORIES,
  COMMON_NAME,
  type LargeStore,
  ORDER_ID_FIRST,
  ORDERS_PER_REFERENCE,
  PETS_PER_ORDER,
  RARE_NAME,
} from './large-store.ts'
import type { RandomRange } from './load-plan.ts'
import { rawGet } from './raw-reply.ts'
import { ADMIN_KEY, PET_ID_FIRST } from './store.ts'

const KEYED = { Authorization: `Bearer ${ADMIN_KEY}` }
const PREVIEW = { ...KEYED, 'Petstore-Preview': 'store-summary' }
const HOUR_MS = 3_600_000

/**
 * One kind of read: a request target with names in braces, which suits a store of any size. A name in braces stands for
 * a random number, a cursor or an instant.
 */
export interface Read {
  readonly name: string
  readonly target: string
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * Reads of the tables that grow with the number of pets. Each read returns the same number of rows in the small and in
 * the large store.
 */
export const largeReads: readonly Read[] = [
  { name: 'getPet', target: '/pets/{pet}' },
  { name: 'getInventoryItem', target: '/store/inventory/{pet}' },
  { name: 'getOrder', target: '/store/orders/{order}', headers: KEYED },
  { name: 'listPets', target: '/pets' },
  { name: 'listPets, cursor in the middle', target: '/pets?cursor={middleId}' },
  { name: 'listPets by status', target: '/pets?status=available' },
  { name: 'listPets of one category', target: '/pets?limit=10&categoryId={category}' },
  { name: 'listPets of 20 categories', target: `/pets?${categories(20)}` },
  { name: 'listPets of 16 categories, by name', target: `/pets?sort=name&${categories(16)}` },
  { name: 'listPets, common start of the name', target: `/pets?name=${COMMON_NAME}` },
  { name: 'listPets, rare start of the name', target: `/pets?name=${RARE_NAME}` },
  { name: 'listPets, search for a common word', target: `/pets?search=${COMMON_NAME}` },
  { name: 'listPets, search for a rare word', target: `/pets?search=${RARE_NAME}` },
  { name: 'listPets, search for two words', target: '/pets?search=1%20g' },
  { name: 'listPets, 20 ids', target: `/pets?${repeated('id={pet}', 20)}` },
  { name: 'listPets with stock', target: '/pets?include=stock' },
  { name: 'listPets by name, descending', target: '/pets?sort=-name' },
  { name: 'listPets by name, cursor in the middle', target: '/pets?sort=name&cursor={middleName}' },
  { name: 'listInventory', target: '/store/inventory' },
  { name: 'listInventory, at most 5 units', target: '/store/inventory?quantityAtMost=5' },
  { name: 'listInventory by status', target: '/store/inventory?status=pending' },
  { name: 'listInventory by quantity, descending', target: '/store/inventory?sort=-quantity' },
  { name: 'listInventory, search for two words', target: '/store/inventory?search=1%20g' },
  { name: 'listInventory, 20 ids', target: `/store/inventory?${repeated('petId={pet}', 20)}` },
  { name: 'listOrders', target: '/store/orders', headers: KEYED },
  { name: 'listOrders, open', target: '/store/orders?complete=false', headers: KEYED },
  { name: 'listOrders of one pet', target: '/store/orders?petId={orderedPet}', headers: KEYED },
  {
    name: 'listOrders of 20 pets',
    target: `/store/orders?${repeated('petId={orderedPet}', 20)}`,
    headers: KEYED,
  },
  {
    name: 'listOrders by shipDate',
    target: '/store/orders?shipDateAfter={shipFrom}&shipDateBefore={shipTo}',
    headers: KEYED,
  },
  { name: 'listOrders by reference', target: '/store/orders?reference=R-{referenced}', headers: KEYED },
  { name: 'listMovements', target: '/store/inventory/{orderedPet}/movements', headers: KEYED },
  { name: 'getStoreSummary', target: '/store/summary', headers: PREVIEW },
  { name: 'listAudit', target: '/audit', headers: KEYED },
  { name: 'listAudit of one pet', target: '/audit?petId={orderedPet}', headers: KEYED },
  { name: 'listEvents', target: '/events?after={position}', headers: KEYED },
  { name: 'listEvents of one pet', target: '/events?petId={orderedPet}', headers: KEYED },
]

function repeated(parameter: string, count: number): string {
  return Array.from({ length: count }, () => parameter).join('&')
}

function categories(count: number): string {
  return Array.from({ length: count }, (_, index) => `categoryId=${index + 1}`).join('&')
}

/** Prepares a read for one store: fills in the instants and the cursor, and adds the ranges of the random numbers. */
export async function readFor(
  { target, headers = {} }: Read,
  store: LargeStore,
  server: ServerProcess,
): Promise<VariedRead> {
  const random = rangesOf(store)
  const [, name] = /\{(middleId|middleName)\}/.exec(target) ?? []
  const cursor =
    name === undefined ? '' : await middleCursor(server, target.replace(/cursor=.*/, ''), store, name)
  const fixed: Readonly<Record<string, string>> = {
    middleId: cursor,
    middleName: cursor,
    shipFrom: instantAfter(store.createdAt, 50 * HOUR_MS),
    shipTo: instantAfter(store.createdAt, 100 * HOUR_MS),
  }
  return { target: target.replaceAll(/\{(\w+)\}/g, (text, key) => fixed[key] ?? text), random, headers }
}

function rangesOf({ pets, head }: LargeStore): Readonly<Record<string, RandomRange>> {
  const orders = pets / PETS_PER_ORDER
  const perReference = ORDERS_PER_REFERENCE
  return {
    pet: { first: PET_ID_FIRST, count: pets, step: 1 },
    orderedPet: { first: PET_ID_FIRST, count: orders, step: PETS_PER_ORDER },
    order: { first: ORDER_ID_FIRST, count: orders, step: 1 },
    referenced: { first: ORDER_ID_FIRST, count: orders / perReference, step: perReference },
    category: { first: 1, count: CATEGORIES, step: 1 },
    // At least 100 events, the most that a page can have, follow each position. So every page is full.
    position: { first: 1, count: head - 100, step: 1 },
  }
}

function instantAfter(instant: string, ms: number): string {
  return new Date(Date.parse(instant) + ms).toISOString()
}

/** Returns a cursor in the middle of a list. It is the cursor of the second page, with the sort keys replaced. */
async function middleCursor(
  { port }: ServerProcess,
  target: string,
  { pets, middleName }: LargeStore,
  name: string,
): Promise<string> {
  const link = (await rawGet(port, target)).headers.get('Link') ?? ''
  const [, cursor = ''] = /cursor=([\w-]+)>; rel="next"/.exec(link) ?? []
  const [hash]: unknown[] = JSON.parse(Buffer.from(cursor, 'base64url').toString())
  const id = PET_ID_FIRST + pets / 2
  const keys = name === 'middleName' ? [middleName.sortKey, middleName.id] : [id, id]
  return Buffer.from(JSON.stringify([hash, ...keys])).toString('base64url')
}
